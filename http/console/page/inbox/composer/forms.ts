/** The forms of messages that are more than text and files. Each is loaded when it is first opened. */

import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import type { Project } from '../../data/project.ts'
import { lazy } from '../../ui/lazy.tsx'
import type { IconName } from '../../ui/pictures/icons.tsx'
import { loadStyles } from '../../ui/styles/styles.ts'
import type { Compose } from './compose.ts'

type FormType = 'template' | 'location' | 'contacts' | 'buttons' | 'list' | 'cta_url' | 'catalog' | 'carousel' | 'flow'

/** In the order of the menu. */
export const FORMS: { type: FormType; text: string; icon: IconName }[] = [
  { type: 'template', text: 'Template', icon: 'template' },
  { type: 'buttons', text: 'Buttons', icon: 'check' },
  { type: 'list', text: 'List', icon: 'menu' },
  { type: 'cta_url', text: 'Link button', icon: 'external' },
  { type: 'carousel', text: 'Carousel', icon: 'board' },
  { type: 'location', text: 'Location', icon: 'pin' },
  { type: 'contacts', text: 'Contact', icon: 'person' },
  { type: 'flow', text: 'Form (Flow)', icon: 'ops' },
  { type: 'catalog', text: 'Catalog', icon: 'tag' },
]

/** The form that is open, and the ticket whose composer has it. */
export const open_form = signal<{ compose: Compose; type: FormType } | null>(null)

export function openForm(compose: Compose, type: FormType) {
  open_form.value = { compose, type }
}

/** The properties of each form. */
type FormProps = { project: Project; compose: Compose; onClose(): void }

export const withFormStyles = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => (await Promise.all([load(), loadStyles(['forms.css'])]))[0])

export const VIEWS: Record<FormType, ComponentType<FormProps>> = {
  template: withFormStyles(() => import('../forms/template_form.tsx').then((module) => module.TemplateForm)),
  buttons: withFormStyles(() => import('../forms/buttons_form.tsx').then((module) => module.ButtonsForm)),
  list: withFormStyles(() => import('../forms/list_form.tsx').then((module) => module.ListForm)),
  cta_url: withFormStyles(() => import('../forms/simple_forms.tsx').then((module) => module.LinkForm)),
  location: withFormStyles(() => import('../forms/simple_forms.tsx').then((module) => module.LocationForm)),
  catalog: withFormStyles(() => import('../forms/simple_forms.tsx').then((module) => module.CatalogForm)),
  contacts: withFormStyles(() => import('../forms/contacts_form.tsx').then((module) => module.ContactsForm)),
  carousel: withFormStyles(() => import('../forms/carousel_form.tsx').then((module) => module.CarouselForm)),
  flow: withFormStyles(() => import('../forms/flow_form.tsx').then((module) => module.FlowForm)),
}
