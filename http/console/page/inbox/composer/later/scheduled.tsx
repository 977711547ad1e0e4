/** The scheduled messages of a ticket, above the field: how many, and each with its time, to be changed or cancelled. */

import { useMemo } from 'preact/hooks'
import { momentText } from '../../../crm/entry/moments.ts'
import { wordsOf } from '../../../crm/preview.ts'
import { templatesOf } from '../../../crm/template_texts.ts'
import { errorText, faultOf } from '../../../data/errors.ts'
import type { Project } from '../../../data/project.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { toastFault } from '../../../ui/overlays/toast.ts'
import { Icon } from '../../../ui/pictures/icons.tsx'
import type { Compose } from '../compose.ts'
import type { ComposeProps } from '../compose_props.ts'
import { openLater } from './later.ts'
import { ScheduledMessages } from './scheduled_messages.ts'

export function Scheduled({ project, thread, compose }: ComposeProps) {
  const all = project.part('scheduled_messages', () => new ScheduledMessages(project))
  const list = useMemo(() => all.of(thread.ticket_id), [all, thread]).value
  const [next] = list
  if (!next) return null
  const has_failed = list.some(({ status }) => status === 'failed')
  const count = list.length === 1 ? '1 message is scheduled' : `${list.length} messages are scheduled`
  return (
    <details class={has_failed ? 'composer-scheduled is-bad' : 'composer-scheduled'}>
      <summary>
        <Icon name={has_failed ? 'alert' : 'clock'} />
        <span>
          {has_failed ? 'A scheduled message was not sent' : `${count}: ${momentText(new Date(next.send_at))}`}
        </span>
        <Icon name="down" />
      </summary>
      <ul aria-label="Scheduled messages">
        {list.map((one) => (
          <One one={one} all={all} compose={compose} project={project} key={one.id} />
        ))}
      </ul>
    </details>
  )
}

type OneProps = { one: AnyRecord; all: ScheduledMessages; compose: Compose; project: Project }

function One({ one, all, compose, project }: OneProps) {
  const cancel = () => all.cancel(one.id).catch((error) => toastFault('The message is still scheduled', faultOf(error)))
  const failed = one.status === 'failed'
  return (
    <li>
      <span class="composer-bar-text">{wordsOf(one, templatesOf(project))}</span>
      {failed ? (
        <span class="composer-failure">{errorText(one.error ?? { message: 'It was refused.' })}</span>
      ) : (
        <time class="faint" datetime={one.send_at}>
          {momentText(new Date(one.send_at))}
          {one.cancel_if_answered ? ', unless the person writes' : ''}
        </time>
      )}
      <button type="button" class="link" onClick={() => openLater({ compose, scheduled: one })}>
        {failed ? 'Send again…' : 'Change'}
      </button>
      <button type="button" class="link" onClick={cancel}>
        {failed ? 'Dismiss' : 'Cancel'}
      </button>
    </li>
  )
}
