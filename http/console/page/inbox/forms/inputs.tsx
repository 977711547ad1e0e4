/** The fields of forms of messages: text with its limit, and a file that is uploaded. */
import type { TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import { errorText, faultOf } from '../../data/errors.ts'
import type { ProjectApi } from '../../data/project_api.ts'
import { Field } from '../../ui/forms/field.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { Compose } from '../composer/compose.ts'
import { uploadFile } from '../composer/files/upload.ts'

/** The part of the limit from which on the length is shown. */
const NEAR_LIMIT = 0.7

/** `most`: characters. An `error` is shown once `is_tried`. */
export function TextInput({
  label,
  value,
  onChange,
  most,
  hint,
  lines,
  type = 'text',
  placeholder,
  error,
}: {
  label: string
  value: string
  onChange(value: string): void
  most?: number
  hint?: string
  lines?: number
  type?: 'text' | 'url' | 'email' | 'tel' | 'search'
  placeholder?: string
  error?: string | null | undefined
}) {
  const length = [...value].length
  const is_near = most !== undefined && length >= most * NEAR_LIMIT
  const input = ({ currentTarget }: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) =>
    onChange(currentTarget.value)
  const note = is_near ? `${hint ? `${hint} ` : ''}${length} of ${most} characters.` : hint
  const wrong = most !== undefined && length > most ? `At most ${most} characters.` : error
  return (
    <Field label={label} hint={note} error={wrong}>
      {(attributes) =>
        lines ? (
          <textarea {...attributes} rows={lines} value={value} placeholder={placeholder} onInput={input}></textarea>
        ) : (
          <input
            {...attributes}
            type={type as 'text'}
            value={value}
            placeholder={placeholder}
            autocomplete="off"
            onInput={input}
          />
        )
      }
    </Field>
  )
}

/** A file that is uploaded for the channel when it is chosen. */
export function FileInput({
  label,
  accept,
  compose,
  api,
  value,
  onChange,
  error,
}: {
  label: string
  accept: string
  compose: Compose
  api: ProjectApi
  value: { media_id: string; name: string } | null
  onChange(value: { media_id: string; name: string } | null): void
  error?: string | null | undefined
}) {
  const [progress, setProgress] = useState<number | null>(null)
  const [reason, setReason] = useState<string | null>(null)
  const picked = async ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? []
    const { channel } = compose.channel.peek()
    if (!file || !channel) return
    const form = new FormData()
    form.append('file', file, file.name)
    form.append('phone_number_id', channel._id)
    setReason(null)
    setProgress(0)
    try {
      const options = { key: crypto.randomUUID(), signal: new AbortController().signal, onProgress: setProgress }
      const { media_id } = await uploadFile(api.address('media/upload'), form, options)
      onChange({ media_id, name: file.name })
    } catch (refused) {
      setReason(errorText(faultOf(refused)))
    }
    setProgress(null)
    currentTarget.value = ''
  }
  return (
    <Field label={label} error={reason ?? error}>
      {(attributes) => (
        <span class="form-file">
          <input {...attributes} type="file" accept={accept} onChange={picked} />
          {progress !== null && <progress value={progress} max="1" aria-label="Upload"></progress>}
          {value && (
            <>
              <span class="faint">
                <Icon name="done" /> {value.name}
              </span>
              <button type="button" class="link" onClick={() => onChange(null)}>
                Remove
              </button>
            </>
          )}
        </span>
      )}
    </Field>
  )
}

/** The text without spaces around it; undefined when it is empty, so that the field is left out. */
export function omitEmpty(text: string) {
  return text.trim() || undefined
}

/** The problem of a required text, if it has one. */
export function problemOf(text: string, most: number) {
  if (text.trim() === '') return 'Fill this in.'
  return [...text.trim()].length > most ? `At most ${most} characters.` : undefined
}
