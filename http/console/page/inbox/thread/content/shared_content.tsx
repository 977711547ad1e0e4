/** The content that people share of Instagram and Facebook: posts, reels and stories, with their files and links. */
import { nameOfType } from '../../../crm/preview.ts'
import type { Project } from '../../../data/project.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { Icon } from '../../../ui/pictures/icons.tsx'
import { FileContent } from './file_content.tsx'

type Props = { message: AnyRecord; project: Project }

/** A message that is what was shared. */
export function SharedContent({ message, project }: Props) {
  const { type, message: content } = message
  return <Shared type={type} shared={content} message={message} project={project} />
}

/** The content that was shared with a text. */
export function SharedWithText({ message, project }: Props) {
  return message.message.attachments.map(({ type, payload, ...facts }: AnyRecord, at: number) => {
    const shared = { ...payload, link: payload?.url, ...facts }
    return <Shared key={at} type={type} shared={shared} message={message} project={project} />
  })
}

/** The story that a message answers. */
export function AnsweredStory({ message, project }: Props) {
  const { story } = message.message
  return <Shared type="story" shared={{ ...story, link: story.url }} message={message} project={project} />
}

function Shared({ type, shared, message, project }: Props & { type: string; shared: AnyRecord }) {
  const { media_id, media_status, mime_type, link, title } = shared
  const name = type === 'story' ? 'Story' : nameOfType(type ?? 'share')
  const is_link = media_status !== 'stored' && typeof link === 'string' && /^https?:/.test(link)
  const file = { ...message, type: kindOf(mime_type), message: { ...shared, caption: undefined, title: name } }
  return (
    <>
      <p class="inbox-kind">
        <Icon name="message" /> {type === 'story' ? 'Answers a story' : name}
      </p>
      {title && <p class="inbox-text">{title}</p>}
      {media_id && <FileContent message={file} project={project} />}
      {is_link && (
        <a class="inbox-card" href={link} target="_blank" rel="noopener noreferrer nofollow">
          <Icon name="external" /> Open the link
        </a>
      )}
    </>
  )
}

function kindOf(mime_type: unknown): string {
  const [kind = ''] = typeof mime_type === 'string' ? mime_type.split('/') : []
  return ['image', 'video', 'audio'].includes(kind) ? kind : 'document'
}
