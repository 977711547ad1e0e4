/** The parts above and below the content of a message. */

import { wordsOf } from '../../../crm/preview.ts'
import { templatesOf } from '../../../crm/template_texts.ts'
import type { Project } from '../../../data/project.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { lazy } from '../../../ui/lazy.tsx'
import { Icon } from '../../../ui/pictures/icons.tsx'
import { answeredIn, buttonsOf, forwardedFrom } from '../content/surroundings_of.ts'
import type { Thread } from '../conversation/thread.ts'

const AnsweredStory = lazy(() => import('../content/shared_content.tsx').then((module) => module.AnsweredStory))

type AboveProps = { message: AnyRecord; project: Project; thread: Thread }

export function Above({ message, project, thread }: AboveProps) {
  const { context, message: content } = message
  const from = forwardedFrom(content ?? {})
  return (
    <>
      {from !== undefined && (
        <p class="inbox-forwarded faint">
          <Icon name="reply" /> {from ? `Forwarded from ${from}` : 'Forwarded'}
        </p>
      )}
      <Quote id={context?.message_id} answered={answeredIn(content ?? {})} project={project} thread={thread} />
      {content?.story?.url && <AnsweredStory message={message} project={project} />}
    </>
  )
}

/**
 * The message that is answered: as it is in the thread, or as far as the answer repeats it. Words that the person chose
 * count more than the whole message.
 */
function Quote({
  id,
  answered,
  project,
  thread,
}: {
  id: string | undefined
  answered: ReturnType<typeof answeredIn>
  project: Project
  thread: Thread
}) {
  const quoted = id && thread.messageOf(id)
  if (quoted) {
    const show = () => document.getElementById(quoted.id)?.scrollIntoView({ block: 'center' })
    return (
      <button type="button" class="inbox-quote" onClick={show}>
        <span class="aside">Answers:</span>{' '}
        {answered?.is_manual && !quoted.deleted_at ? answered.text : wordsOf(quoted, templatesOf(project))}
      </button>
    )
  }
  if (answered)
    return (
      <p class="inbox-quote">
        <span class="aside">Answers:</span>{' '}
        {answered.from && (
          <>
            <b>{answered.from}</b>{' '}
          </>
        )}
        {answered.text}
      </p>
    )
  return id ? <p class="inbox-quote faint">An earlier message</p> : null
}

/** The buttons below it, and the bot by which the message was written. */
export function Below({ content }: { content: AnyRecord }) {
  const buttons = buttonsOf(content)
  const { via_bot } = content
  return (
    <>
      {buttons.length > 0 && (
        <ul class="inbox-choices" aria-label="Buttons">
          {buttons.map(({ text, url }, at) => (
            <li key={at}>
              {url ? (
                <a href={url} title={url} target="_blank" rel="noopener noreferrer nofollow">
                  {text}
                </a>
              ) : (
                text
              )}
            </li>
          ))}
        </ul>
      )}
      {via_bot?.username && <p class="faint">via @{via_bot.username}</p>}
    </>
  )
}
