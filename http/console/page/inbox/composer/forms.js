/** The forms of messages that are more than text and files. Each is loaded when it is first opened. */
import { signal } from '@preact/signals'
import { loadStyles } from '../../app/styles.js'
import { lazy } from '../../ui/lazy.js'

/** @typedef {import('../../ui/icons.js').IconName} IconName */
/**
 * @typedef {'template' | 'location' | 'contacts' | 'buttons' | 'list' | 'cta_url' | 'catalog' | 'carousel' | 'flow'} FormType
 */

/** In the order of the menu. @type {{ type: FormType, text: string, icon: IconName }[]} */
export const FORMS = [
  { type: 'template', text: 'Template', icon: 'template' },
  { type: 'buttons', text: 'Buttons', icon: 'check' },
  { type: 'list', text: 'List', icon: 'menu' },
  { type: 'cta_url', text: 'Link button', icon: 'external' },
  { type: 'carousel', text: 'Carousel', icon: 'board' },
  { type: 'location', text: 'Location', icon: 'pin' },
  { type: 'contacts', text: 'Contact', icon: 'person' },
  { type: 'flow', text: 'Form (Flow)', icon: 'operations' },
  { type: 'catalog', text: 'Catalog', icon: 'tag' },
]

/** The form that is open, and the ticket whose composer has it. */
export const open_form = signal(
  /** @type {{ compose: import('./compose.js').Compose, type: FormType } | null} */ (null),
)

/**
 * @param {import('./compose.js').Compose} compose
 * @param {FormType} type
 */
export function openForm(compose, type) {
  open_form.value = { compose, type }
}

/** @param {() => Promise<any>} load */
export const withFormStyles = (load) => lazy(async () => (await Promise.all([load(), loadStyles(['forms.css'])]))[0])

/** @type {Record<FormType, ReturnType<typeof lazy>>} */
export const VIEWS = {
  template: withFormStyles(() => import('../forms/template_form.js').then((module) => module.TemplateForm)),
  buttons: withFormStyles(() => import('../forms/buttons_form.js').then((module) => module.ButtonsForm)),
  list: withFormStyles(() => import('../forms/list_form.js').then((module) => module.ListForm)),
  cta_url: withFormStyles(() => import('../forms/simple_forms.js').then((module) => module.LinkForm)),
  location: withFormStyles(() => import('../forms/simple_forms.js').then((module) => module.LocationForm)),
  catalog: withFormStyles(() => import('../forms/simple_forms.js').then((module) => module.CatalogForm)),
  contacts: withFormStyles(() => import('../forms/contacts_form.js').then((module) => module.ContactsForm)),
  carousel: withFormStyles(() => import('../forms/carousel_form.js').then((module) => module.CarouselForm)),
  flow: withFormStyles(() => import('../forms/flow_form.js').then((module) => module.FlowForm)),
}
