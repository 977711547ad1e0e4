/** The example file of a header, which is uploaded when it is chosen. */
import type { TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import { errorText, faultOf } from '../../data/errors.ts'
import { Field } from '../../ui/forms/field.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { DraftFile, FileFormat } from './draft.ts'
import type { Templates } from './templates.ts'

const FILES: Record<FileFormat, { accept: string; hint: string }> = {
  IMAGE: { accept: 'image/jpeg,image/png', hint: 'A JPEG or PNG of at most 5 MB.' },
  VIDEO: { accept: 'video/mp4', hint: 'An MP4 of at most 16 MB.' },
  DOCUMENT: { accept: 'application/pdf', hint: 'A PDF of at most 100 MB.' },
}

export function FileField({
  templates,
  channel_id,
  format,
  file,
  error,
  onChange,
}: {
  templates: Templates
  channel_id: string
  format: FileFormat
  file: DraftFile | null
  error: string | null
  onChange(file: DraftFile | null): void
}) {
  const [is_busy, setBusy] = useState(false)
  const [reason, setReason] = useState<string | null>(null)
  const picked = async ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
    const [chosen] = currentTarget.files ?? []
    if (!chosen) return
    setReason(null)
    setBusy(true)
    try {
      onChange({ media_id: await templates.upload(chosen, channel_id), name: chosen.name })
    } catch (refused) {
      setReason(errorText(faultOf(refused)))
    }
    setBusy(false)
    currentTarget.value = ''
  }
  const { accept, hint } = FILES[format]
  return (
    <Field
      label="Example of the file"
      hint={`${hint} WhatsApp’s reviewers see it; each send brings its own.`}
      error={reason ?? error}
    >
      {(attributes) => (
        <span class="template-file">
          <input {...attributes} type="file" accept={accept} disabled={is_busy} onChange={picked} />
          <span class="faint" role="status">
            {is_busy ? (
              'Uploading…'
            ) : file ? (
              <>
                <Icon name="done" /> {file.name}
              </>
            ) : null}
          </span>
        </span>
      )}
    </Field>
  )
}
