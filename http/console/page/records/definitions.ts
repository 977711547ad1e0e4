/** The set-up of a project by its operators: all choices of the page. As `GET …/definitions` answers it. */

/** Limits of messages on a channel. */
export type Composing = {
  /** How each type arrives there; a type that is not here cannot be sent. */
  message_types: Partial<Record<string, string>>
  text_limit: { most: number; unit: 'characters' | 'bytes' }
  has_captions: boolean
  /** Null: files of any kind. */
  file_types: { mime_type: string; max_bytes: number }[] | null
  most_file_bytes: number
}

type Named = { _id: string; name: string }

export type Definitions = {
  pipelines: (Named & {
    is_default: boolean
    stages: (Named & { position: number; rules: Record<string, unknown> })[]
  })[]
  tags: (Named & { color: string | null })[]
  custom_fields: (Named & { owner: string; key: string; type: string; options: string[] | null })[]
  users: { _id: string; full_name: string; email: string; is_active: boolean; is_agent: boolean }[]
  channels: (Named & {
    channel_type: string
    provider: string
    provider_account_id: string | null
    is_active: boolean
    status: string
    status_reason: string | null
    composing: Composing
    /** Null where the provider's usual pace holds. */
    messages_per_second: number | null
  })[]
  event_types: (Named & {
    key: string
    is_system: boolean
    fields: { key: string; type: string; required: boolean }[]
  })[]
}
