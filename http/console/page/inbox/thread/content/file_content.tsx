/** Files in messages: pictures, recordings and films are shown in place, all others are offered as a download. */

import { useState } from 'preact/hooks'
import { hasMarks } from '../../../crm/entry/chat_marks.ts'
import { RichText } from '../../../crm/entry/rich_text.tsx'
import { savedName, shownName } from '../../../crm/file_name.ts'
import { nameOfType } from '../../../crm/preview.ts'
import { addressOfMedia, addressOfThumbnail, hasThumbnail } from '../../../data/media_address.ts'
import type { Project } from '../../../data/project.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { lazy } from '../../../ui/lazy.tsx'
import { Icon, type IconName } from '../../../ui/pictures/icons.tsx'
import { isWaiting, WaitingFile } from './waiting_file.tsx'

const Player = lazy(() => import('./player.tsx').then((module) => module.Player))

const ICONS: Record<string, IconName> = {
  image: 'image',
  sticker: 'smile',
  video: 'video',
  audio: 'audio',
  document: 'file',
}

export function FileContent({ message, project }: { message: AnyRecord; project: Project }) {
  const [is_broken, setBroken] = useState(false)
  const { type, message: content } = message
  const address = addressOfFile(message, project)
  const { caption, filename, entities, performer, title } = content
  const name = shownName(filename) || [performer, title].filter(Boolean).join(' – ') || nameOfType(type)
  const words = caption && (
    <p class="inbox-text">
      <RichText text={caption} has_marks={hasMarks(message)} entities={entities} />
    </p>
  )
  const broken = () => setBroken(true)
  if (isWaiting(content))
    return (
      <>
        <WaitingFile file={content} name={name} icon={ICONS[type] ?? 'file'} project={project} />
        {words}
      </>
    )
  if (address === undefined)
    return (
      <>
        <p class="inbox-kind faint">
          <Icon name={ICONS[type] ?? 'file'} /> {name}, no longer available
        </p>
        {words}
      </>
    )
  if (!is_broken && (type === 'image' || type === 'sticker')) {
    return (
      <>
        <a class={`inbox-picture is-${type}`} href={address} target="_blank" rel="noopener noreferrer">
          <img
            src={thumbnailOf(message, address, project)}
            alt={caption || name}
            loading="lazy"
            decoding="async"
            referrerpolicy="no-referrer"
            onError={broken}
          />
        </a>
        {words}
      </>
    )
  }
  if (!is_broken && (type === 'video' || type === 'audio')) {
    return (
      <>
        <Player type={type} address={address} name={name} onError={broken} />
        {words}
      </>
    )
  }
  return (
    <>
      <a class="inbox-card" href={address} target="_blank" rel="noopener noreferrer" download={savedName(filename)}>
        <Icon name={ICONS[type] ?? 'file'} />{' '}
        <span>
          <b>
            <bdi>{name}</bdi>
          </b>
        </span>{' '}
        <Icon name="download" />
      </a>
      {words}
    </>
  )
}

/** The small version of a picture, where there is one; else the picture itself. */
function thumbnailOf(
  { type, channel_id, message: { link, media_id, mime_type } }: AnyRecord,
  address: string,
  project: Project,
) {
  return type === 'image' && address !== link && hasThumbnail(media_id, mime_type)
    ? addressOfThumbnail(project, media_id, channel_id)
    : address
}

/** A file that the page itself has (`blob:`), a public one, or one that the server keeps or fetches. */
function addressOfFile({ channel_id, message: { link, media_id, media_status } }: AnyRecord, project: Project) {
  // That of the provider expires.
  if (media_status === 'stored') return addressOfMedia(project, media_id, channel_id)
  if (typeof link === 'string' && /^(?:https?:|blob:)/.test(link)) return link
  if (typeof media_id !== 'string') return undefined
  return addressOfMedia(project, media_id, channel_id)
}
