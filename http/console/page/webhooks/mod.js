/** The section of webhooks: the subscriptions, one of them with its deliveries, one delivery, and the form. */
import { html } from 'htm/preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Empty } from '../ui/empty.js'
import { DeliveryPage } from './delivery_page.js'
import { FormPage } from './form_page.js'
import { ListPage } from './list_page.js'
import { webhooksPlace, webhooksPlaceOf } from './places.js'
import { SecretDialog } from './secret_dialog.js'
import { WebhookPage } from './webhook_page.js'
import { Webhooks } from './webhooks.js'

/** @typedef {import('./places.js').WebhooksPlace} WebhooksPlace */

/**
 * @param {import('../app/sections.js').PageProps} props
 */
function View({ console: core, project, place }) {
  const wanted = webhooksPlaceOf(place)
  const webhooks = project.part('webhooks', () => new Webhooks(project))
  const where = JSON.stringify(wanted)
  useMemo(() => wanted && webhooks.show(wanted), [webhooks, where])
  const name = webhooks.webhook.value?.value?.name
  useEffect(() => {
    core.title.value = wanted && 'id' in wanted ? (name ?? 'Webhooks') : 'Webhooks'
  }, [core, where, name])
  useEffect(() => scrollTo(0, 0), [wanted?.page])
  const secret = webhooks.secret.value
  return html`<${Page} wanted=${wanted} webhooks=${webhooks} project=${project} />
    ${secret && html`<${SecretDialog} ...${secret} onClose=${() => (webhooks.secret.value = null)} />`}`
}

/**
 * @param {{
 *   wanted: WebhooksPlace | undefined
 *   webhooks: Webhooks
 *   project: import('../data/project.js').Project
 * }} props
 */
function Page({ wanted, webhooks, project }) {
  switch (wanted?.page) {
    case 'list':
      return html`<${ListPage} webhooks=${webhooks} />`
    case 'new':
      return html`<${FormPage} webhooks=${webhooks} id=${null} key="new" />`
    case 'edit':
      return html`<${FormPage} webhooks=${webhooks} id=${wanted.id} key=${wanted.id} />`
    case 'one':
      return html`<${WebhookPage} webhooks=${webhooks} key=${wanted.id} />`
    case 'delivery':
      return html`<${DeliveryPage} webhooks=${webhooks} id=${wanted.id} key=${wanted.delivery_id} />`
  }
  return html`<${Empty} level=${1} title="There is nothing here" text="The address is wrong.">
    <a class="button" href=${webhooksPlace(project.id)}>Go to webhooks</a>
  <//>`
}

export const page = { View }
