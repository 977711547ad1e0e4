/** The content of a message of any type. */
import type { ComponentChildren } from 'preact'
import { hasMarks } from '../../../crm/entry/chat_marks.ts'
import { LeftOut } from '../../../crm/entry/left_out.tsx'
import { RichText } from '../../../crm/entry/rich_text.tsx'
import { words } from '../../../crm/entry/words.ts'
import { nameOfType, textOf } from '../../../crm/preview.ts'
import type { Project } from '../../../data/project.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { lazy } from '../../../ui/lazy.tsx'
import { Icon } from '../../../ui/pictures/icons.tsx'
import { cardLines, orderLines } from './cards.ts'
import { FileContent } from './file_content.tsx'
import { answersOf } from './form_answers.ts'
import { linesOf } from './other_kinds.ts'
import { TemplateContent } from './template_content.tsx'

type ContentProps = { message: AnyRecord; project: Project }

/** Few projects have e-mail. */
const MailContent = lazy(() => import('./mail_content.tsx').then((module) => module.MailContent))

/** And few people share posts. */
const SharedContent = lazy(() => import('./shared_content.tsx').then((module) => module.SharedContent))
const SharedWithText = lazy(() => import('./shared_content.tsx').then((module) => module.SharedWithText))

const FILES = ['image', 'sticker', 'video', 'audio', 'document']
/** Posts, reels and stories. */
const SHARED = /^(?:share|post|reel|ig_reel|ig_post|ig_story|story_mention|story_share|media_share)$/

type ViewProps = { content: AnyRecord; has_marks: boolean }

const VIEWS: Partial<Record<string, (props: ViewProps) => ComponentChildren>> = {
  location: Location,
  contacts: Contacts,
  buttons: Choices,
  list: Choices,
  cta_url: LinkButton,
  carousel: Carousel,
  flow: Opener,
  catalog: Opener,
  reaction: Reaction,
  edit: Edited,
  interactive: Chosen,
  order: Order,
  unsupported: Other,
}

export function Content({ message, project }: ContentProps) {
  const { type, message: content } = message
  if (FILES.includes(type)) return <FileContent message={message} project={project} />
  if (type === 'template') return <TemplateContent message={message} project={project} />
  if (message.channel === 'email' && type === 'text') return <MailContent message={message} project={project} />
  if (SHARED.test(type)) return <SharedContent message={message} project={project} />
  const has_marks = hasMarks(message)
  const View = VIEWS[type]
  if (View) return <View content={content ?? {}} has_marks={has_marks} />
  const text = textOf(content)
  if (text)
    return (
      <>
        <Text has_marks={has_marks} text={text} entities={content.entities} />
        {type === 'text' && content.attachments?.length > 0 && <SharedWithText message={message} project={project} />}
      </>
    )
  return (
    <p class="inbox-kind">
      <Icon name="message" /> {(words as AnyRecord)[type] ?? nameOfType(type)}
    </p>
  )
}

function Text({ text, has_marks, entities }: { text: string | undefined; has_marks?: boolean; entities?: unknown }) {
  return text ? (
    <p class="inbox-text">
      <RichText text={text} has_marks={has_marks} entities={entities} />
    </p>
  ) : null
}

function Location({ content: { latitude, longitude, name, address, url } }: { content: AnyRecord }) {
  const place = `https://www.openstreetmap.org/?mlat=${Number(latitude)}&mlon=${Number(longitude)}#map=16/${Number(latitude)}/${Number(longitude)}`
  return (
    <>
      <a class="inbox-card" href={place} target="_blank" rel="noopener noreferrer">
        <Icon name="pin" />
        <span>
          <b>{name ?? 'Location'}</b> <span class="faint">{address ?? `${latitude}, ${longitude}`}</span>
        </span>
      </a>
      <Text text={url} />
    </>
  )
}

function Contacts({ content: { contacts = [] } }: { content: AnyRecord }) {
  return contacts.map((contact: AnyRecord, at: number) => (
    <div class="inbox-card" key={at}>
      <Icon name="person" />
      <span>
        <b>{contact.name?.formatted_name || 'Contact'}</b>
        {cardLines(contact).map((line) => (
          <span class="faint" key={line}>
            {line}
          </span>
        ))}
      </span>
    </div>
  ))
}

function Choices({
  content: { header, body_text, footer_text, buttons, button_text, sections = [] },
  has_marks,
}: ViewProps) {
  const rows = buttons ?? sections.flatMap(({ rows = [] }: AnyRecord) => rows)
  return (
    <>
      {header?.text && (
        <p>
          <b>{header.text}</b>
        </p>
      )}
      <Text has_marks={has_marks} text={body_text} /> {footer_text && <p class="faint">{footer_text}</p>}
      <ul class="inbox-choices" aria-label={button_text ?? 'Buttons'}>
        {rows.map(({ id, title }: AnyRecord) => (
          <li key={id}>{title}</li>
        ))}
      </ul>
    </>
  )
}

function LinkButton({ content: { body_text, display_text, url }, has_marks }: ViewProps) {
  return (
    <>
      <Text has_marks={has_marks} text={body_text} />
      <ul class="inbox-choices">
        <li>
          <Icon name="external" /> {display_text} <span class="aside">{url}</span>
        </li>
      </ul>
    </>
  )
}

/** A text with one button, which opens a Flow or the catalog. */
function Opener({ content: { header_text, body_text, footer_text, flow_cta = 'View catalog' }, has_marks }: ViewProps) {
  return (
    <>
      {header_text && (
        <p>
          <b>{header_text}</b>
        </p>
      )}
      <Text has_marks={has_marks} text={body_text} /> {footer_text && <p class="faint">{footer_text}</p>}
      <ul class="inbox-choices" aria-label="Button">
        <li>{flow_cta}</li>
      </ul>
    </>
  )
}

function Carousel({ content: { body_text, cards = [] }, has_marks }: ViewProps) {
  return (
    <>
      <Text has_marks={has_marks} text={body_text} />
      <ul class="inbox-choices" aria-label="Cards">
        {cards.map(({ body_text: text, action }: AnyRecord, at: number) => (
          <li key={at}>{text ?? action?.display_text ?? `Card ${at + 1}`}</li>
        ))}
      </ul>
    </>
  )
}

function Reaction({ content: { emoji } }: { content: AnyRecord }) {
  return emoji ? (
    <p class="inbox-kind">
      Reacted with <span class="inbox-emoji">{emoji}</span>
    </p>
  ) : (
    <p class="inbox-kind faint">Took a reaction back</p>
  )
}

/** An edit of a message that is not in the thread. */
function Edited({ content: { message }, has_marks }: ViewProps) {
  return (
    <>
      <p class="inbox-kind faint">{words.edit}</p>
      <Text has_marks={has_marks} text={textOf(message)} />
    </>
  )
}

/** The choice of a person, a form that they filled in, or their word on being called. */
function Chosen({ content, has_marks }: ViewProps) {
  const { button_reply, list_reply, interactive_type, nfm_reply, call_permission_reply } = content
  const reply = button_reply ?? list_reply
  if (reply) {
    return (
      <>
        <p class="inbox-kind">
          <Icon name="reply" /> {reply.title}
        </p>
        {reply.description && <p class="faint">{reply.description}</p>}
      </>
    )
  }
  if (call_permission_reply) {
    const agreed = call_permission_reply.response === 'accept'
    return (
      <p class="inbox-kind">
        <Icon name="reply" /> {agreed ? words.may_call : words.may_not_call}
      </p>
    )
  }
  if (nfm_reply) return <Form reply={nfm_reply} />
  const text = textOf(content)
  if (text) return <Text has_marks={has_marks} text={text} />
  return (
    <p class="inbox-kind">
      <Icon name="done" /> {nameOfType(interactive_type ?? 'interactive')}
    </p>
  )
}

/** The answers of a form, field by field. */
function Form({ reply }: { reply: AnyRecord }) {
  const { answers, unread, left_out = 0 } = answersOf(reply)
  return (
    <>
      <p class="inbox-kind">
        <Icon name="done" /> {words.filled_form}
      </p>
      {unread !== undefined && (
        <>
          <p class="faint">{words.unread_form}</p>
          <p class="inbox-text">{unread}</p>
        </>
      )}
      <dl class="inbox-filled">
        {answers.map(([name, value], at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <LeftOut count={left_out} />
    </>
  )
}

function Order({ content, has_marks }: ViewProps) {
  const products = orderLines(content)
  const count = content.item_count ?? products.length
  return (
    <>
      <p class="inbox-kind">
        <Icon name="tag" /> Order of {count === 1 ? '1 product' : `${count} products`}
      </p>
      <dl class="inbox-filled">
        {products.map(([name, value], at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Text has_marks={has_marks} text={content.text} />
    </>
  )
}

/** A message of a kind without a view: its name and its values. */
function Other({ content, has_marks }: ViewProps) {
  const { lines, left_out } = linesOf(content)
  return (
    <>
      <p class="inbox-kind">
        <Icon name="message" /> {nameOfType(content.kind ?? 'unsupported')}
      </p>
      <Text has_marks={has_marks} text={content.caption} entities={content.entities} />
      <dl class="inbox-filled">
        {lines.map(([name, value], at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {lines.length === 0 && !content.caption && <p class="faint">{words.not_passed}</p>}
      <LeftOut count={left_out} />
    </>
  )
}
