/** One subscription: its state, its settings, and its deliveries. */

import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Webhook } from '../records/webhook.ts'
import { type Action, useActions } from '../ui/actions.ts'
import { Copyable } from '../ui/copyable.tsx'
import { number } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { Menu } from '../ui/overlays/menu.tsx'
import { toast, toastFault } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { DeliveriesPart } from './deliveries_part.tsx'
import { DeleteDialog, RecoverDialog, RotateDialog, TestDialog } from './dialogs.tsx'
import { ManageButton } from './manage_button.tsx'
import { webhooksPlace } from './places.ts'
import type { Webhooks } from './webhooks.ts'
import { stateOf } from './words.ts'

type Question = 'test' | 'recover' | 'rotate' | 'delete'

/** How long a recovery is shown after its end. */
const RECENT_MS = 3_600_000

const DIALOGS = { test: TestDialog, recover: RecoverDialog, rotate: RotateDialog, delete: DeleteDialog }

export function WebhookPage({ webhooks }: { webhooks: Webhooks }) {
  const resource = webhooks.webhook.value
  const webhook = resource?.value
  const fault = resource?.fault
  useEffect(() => webhooks.readTypes(), [webhooks])
  return (
    <div class="page">
      <a class="back" href={webhooksPlace(webhooks.project_id)}>
        <Icon name="back" /> Webhooks
      </a>
      <Head webhooks={webhooks} webhook={webhook} />
      {webhook && <State webhooks={webhooks} webhook={webhook} />}
      {webhook && <Settings webhook={webhook} />}
      {webhook && <DeliveriesPart webhooks={webhooks} webhook={webhook} />}
      {!webhook && !fault && <Waiting label="Loading the webhook" rows={4} />}
      {!webhook &&
        fault &&
        (fault.status === 404 ? (
          <Trouble title="There is no such webhook" error={fault} />
        ) : (
          <Trouble title="The webhook could not be loaded" error={fault} onRetry={() => resource?.read()} />
        ))}
    </div>
  )
}

function Head({ webhooks, webhook }: { webhooks: Webhooks; webhook: Webhook | undefined }) {
  const [question, setQuestion] = useState<Question | null>(null)
  const { may_manage, project_id } = webhooks
  useActions(() => {
    if (!webhook) return []
    const group = 'Webhook'
    const offered: Action[] = [
      { text: 'Send a test event…', group, icon: 'send', keys: 't', act: () => setQuestion('test') },
      { text: 'Send failed deliveries again…', group, icon: 'refresh', act: () => setQuestion('recover') },
    ]
    if (!may_manage) return offered
    return [
      ...offered,
      {
        text: 'Edit the webhook',
        group,
        icon: 'edit',
        keys: 'e',
        act: () => (location.hash = webhooksPlace(project_id, webhook.id, 'edit')),
      },
      { text: 'Replace the secret…', group, icon: 'lock', act: () => setQuestion('rotate') },
      { text: 'Delete the webhook…', group, icon: 'trash', act: () => setQuestion('delete') },
    ]
  }, [webhook?.id, may_manage])
  const Asked = question && DIALOGS[question]
  const { style = '', word = '' } = webhook ? stateOf(webhook) : {}
  const is_push = webhook?.mode === 'push'
  return (
    <div class="page-head">
      <div class="page-name">
        <h1 tabindex={-1} class={webhook ? 'name' : 'name faint'}>
          {webhook?.name ?? 'Webhook'}
        </h1>
        {webhook && <span class={`badge ${style}`}>{word}</span>}
      </div>
      {webhook && (
        <div class="actions">
          <button type="button" class="button" onClick={() => setQuestion('test')}>
            <Icon name="send" /> Test…
          </button>
          {is_push && (
            <button type="button" class="button" onClick={() => setQuestion('recover')}>
              <Icon name="refresh" /> Recover…
            </button>
          )}
          <ManageButton may_manage={may_manage} href={webhooksPlace(project_id, webhook.id, 'edit')}>
            <Icon name="edit" /> Edit
          </ManageButton>
          {may_manage && (
            <Menu
              id="webhook-more"
              class="button icon-button webhook-more"
              label="More"
              button={<Icon name="more" />}
              items={[
                webhook.is_active
                  ? { text: 'Disable', icon: 'stop', act: () => void turn(webhooks, webhook, false) }
                  : { text: 'Enable', icon: 'done', act: () => void turn(webhooks, webhook, true) },
                { text: 'Replace the secret…', icon: 'lock', act: () => setQuestion('rotate') },
                'line',
                { text: 'Delete…', icon: 'trash', is_danger: true, act: () => setQuestion('delete') },
              ]}
            />
          )}
        </div>
      )}
      {Asked && webhook && <Asked webhooks={webhooks} webhook={webhook} onClose={() => setQuestion(null)} />}
    </div>
  )
}

async function turn(webhooks: Webhooks, { id, name }: Webhook, is_active: boolean) {
  try {
    webhooks.keep(await webhooks.api.update(id, { is_active }))
    toast(is_active ? `“${name}” is enabled.` : `“${name}” is disabled.`)
  } catch (error) {
    toastFault(`“${name}” was not changed`, error as Error)
  }
}

/** Notices about a webhook: why it is disabled, that it fails, or that failed deliveries are being sent again. */
function State({ webhooks, webhook }: { webhooks: Webhooks; webhook: Webhook }) {
  const { is_active, failure_count } = webhook
  const recovery = isRecent(webhook.recovery) ? webhook.recovery : null
  const { text } = stateOf(webhook)
  const is_running = recovery?.status === 'running'
  if (is_active && failure_count === 0 && !recovery) return null
  return (
    <div class="webhook-notes">
      {!is_active && (
        <div class="note bad webhook-note">
          <Icon name="alert" /> <p>{text}</p>
          {webhooks.may_manage && (
            <button type="button" class="button" onClick={() => turn(webhooks, webhook, true)}>
              Enable
            </button>
          )}
        </div>
      )}
      {is_active && failure_count > 0 && (
        <div class="note wary webhook-note">
          <Icon name="alert" /> <p>{text}</p>
        </div>
      )}
      {recovery && (
        <div class="note webhook-note" role="status">
          <Icon name="refresh" />
          <p>
            {is_running
              ? 'Failed deliveries are being sent again'
              : recovery.status === 'completed'
                ? 'Failed deliveries were sent again'
                : 'Sending failed deliveries again was ended'}
            :{` ${number(recovery.requeued)}${recovery.total === null ? '' : ` of ${number(recovery.total)}`}`}, of
            those since <Moment at={recovery.since} />.
          </p>
          {recovery.total ? (
            <progress max={recovery.total} value={recovery.requeued} aria-label="Sent again"></progress>
          ) : null}
        </div>
      )}
    </div>
  )
}

/** True for a recovery that is running, or whose end is still of interest. */
function isRecent(recovery: Webhook['recovery']) {
  return (
    recovery !== null && (recovery.completed_at === null || Date.now() - Date.parse(recovery.completed_at) < RECENT_MS)
  )
}

function Settings({ webhook }: { webhook: Webhook }) {
  const { id, mode, url, events, payload, format, headers, ordering, concurrency, ed25519, secret_prefix } = webhook
  const names = Object.keys(headers)
  const forms = [
    payload === 'thin' ? 'only addresses' : 'the whole record',
    format === 'cloudevents' ? 'as CloudEvents' : 'in Parley’s envelope',
  ]
  const order = { none: 'no order', contact: 'in order for each contact', subscription: 'all in order' }[ordering]
  const facts: [string, ComponentChildren][] = [
    [
      mode === 'push' ? 'Address' : 'Delivery',
      url ? (
        <Copyable text={url} label="the address">
          <span class="webhook-url">{url}</span>
        </Copyable>
      ) : (
        'Fetched by its receiver'
      ),
    ],
    [
      'Events',
      <span class="webhook-entries">
        {events.map((entry) => (
          <code key={entry}>{entry}</code>
        ))}
      </span>,
    ],
    ['Content', forms.join(', ')],
    [
      'Id',
      <Copyable text={id} label="the id">
        <code>{id}</code>
      </Copyable>,
    ],
    ['Last delivery', <Moment at={webhook.last_delivery_at} />],
    ['Created', <Moment at={webhook.created_at} />],
  ]
  if (mode === 'push') {
    facts.push(
      ['Requests', `${concurrency} at once, ${order}`],
      [
        'Signed with',
        <span>
          secret <code>{secret_prefix}…</code>
          {ed25519 && ' and the public key'}
        </span>,
      ],
      ['Headers', names.length > 0 ? names.join(', ') : <span class="faint">none of your own</span>],
    )
    if (webhook.previous_secret_until && Date.parse(webhook.previous_secret_until) > Date.now()) {
      facts.push(['Former secret until', <Moment at={webhook.previous_secret_until} />])
    }
  }
  return (
    <dl class="card webhook-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt class="faint">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
