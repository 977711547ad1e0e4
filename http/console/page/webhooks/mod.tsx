/** The section of webhooks: the subscriptions, one of them with its deliveries, one delivery, and the form. */

import { useEffect, useMemo } from 'preact/hooks'
import type { PageProps } from '../core/section_page.ts'
import type { Project } from '../data/project.ts'
import { Empty } from '../ui/placeholders/empty.tsx'
import { DeliveryPage } from './delivery_page.tsx'
import { FormPage } from './form_page.tsx'
import { ListPage } from './list_page.tsx'
import { type WebhooksPlace, webhooksPlace, webhooksPlaceOf } from './places.ts'
import { SecretDialog } from './secret_dialog.tsx'
import { WebhookPage } from './webhook_page.tsx'
import { Webhooks } from './webhooks.ts'

function View({ console: core, project, place }: PageProps) {
  const target = webhooksPlaceOf(place)
  const webhooks = project.part('webhooks', () => new Webhooks(project))
  const where = JSON.stringify(target)
  useMemo(() => target && webhooks.show(target), [webhooks, where])
  const name = webhooks.webhook.value?.value?.name
  useEffect(() => {
    core.title.value = target && 'id' in target ? (name ?? 'Webhooks') : 'Webhooks'
  }, [core, where, name])
  useEffect(() => scrollTo(0, 0), [target?.page])
  const secret = webhooks.secret.value
  return (
    <>
      <Page target={target} webhooks={webhooks} project={project} />
      {secret && <SecretDialog {...secret} onClose={() => (webhooks.secret.value = null)} />}
    </>
  )
}

function Page({
  target,
  webhooks,
  project,
}: {
  target: WebhooksPlace | undefined
  webhooks: Webhooks
  project: Project
}) {
  switch (target?.page) {
    case 'list':
      return <ListPage webhooks={webhooks} />
    case 'new':
      return <FormPage webhooks={webhooks} id={null} key="new" />
    case 'edit':
      return <FormPage webhooks={webhooks} id={target.id} key={target.id} />
    case 'one':
      return <WebhookPage webhooks={webhooks} key={target.id} />
    case 'delivery':
      return <DeliveryPage webhooks={webhooks} id={target.id} key={target.delivery_id} />
  }
  return (
    <Empty level={1} title="There is nothing here" text="The address is wrong.">
      <a class="button" href={webhooksPlace(project.id)}>
        Go to webhooks
      </a>
    </Empty>
  )
}

export const page = { View }
