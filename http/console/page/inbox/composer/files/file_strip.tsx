/** The files of a reply: a picture or a name, the progress of the upload, and why one cannot be sent. */

import { Icon, type IconName } from '../../../ui/pictures/icons.tsx'
import { size } from '../channel_rules.ts'
import type { FileEntry, Files } from './files.ts'

const ICONS: Record<string, IconName> = {
  image: 'image',
  sticker: 'smile',
  video: 'video',
  audio: 'audio',
  document: 'file',
}

/** `onRemoved`: the button that had the focus is gone. */
export function FileStrip({ files, onRemoved }: { files: Files; onRemoved(): void }) {
  const entries = files.entries.value
  if (entries.length === 0) return null
  return (
    <ul class="composer-files" aria-label="Files">
      {entries.map((entry) => (
        <Entry entry={entry} files={files} onRemoved={onRemoved} key={entry.key} />
      ))}
    </ul>
  )
}

function Entry({
  entry: { key, name, type, size: bytes, state, progress, reason, address },
  files,
  onRemoved,
}: {
  entry: FileEntry
  files: Files
  onRemoved(): void
}) {
  const remove = () => {
    files.remove(key)
    onRemoved()
  }
  const is_bad = state === 'failed' || state === 'refused'
  return (
    <li class={is_bad ? 'composer-file is-bad' : 'composer-file'}>
      {address ? (
        <img src={address} alt="" />
      ) : (
        <span class="composer-file-icon">
          <Icon name={ICONS[type] ?? 'file'} />
        </span>
      )}
      <span class="composer-file-text">
        <b title={name}>{name}</b>
        {is_bad ? (
          <span role="alert">{reason}</span>
        ) : (
          <span class="faint">
            {bytes > 0 ? size(bytes) : ''}
            {state === 'uploading' ? ` · ${Math.round(progress * 100)}%` : ''}
          </span>
        )}
        {state === 'uploading' && <progress value={progress} max="1" aria-label={`Upload of ${name}`}></progress>}
      </span>
      {state === 'failed' && (
        <button type="button" class="link" onClick={() => files.retry(key)}>
          Retry
        </button>
      )}
      <button type="button" class="quiet icon-button" aria-label={`Remove ${name}`} onClick={remove}>
        <Icon name="close" />
      </button>
    </li>
  )
}
