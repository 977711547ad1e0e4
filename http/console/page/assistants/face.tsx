/** The picture of an assistant: its emoji, its avatar, or its initials. */

import type { Assistant } from '../records/assistant.ts'
import { Avatar } from '../ui/pictures/avatar.tsx'

export function Face({ assistant, size }: { assistant: Assistant; size?: 'large' }) {
  const { _id, name, avatar_url, avatar_emoji } = assistant
  if (!avatar_emoji) return <Avatar name={name} id={_id} picture={avatar_url} {...(size && { size })} />
  return (
    <span class={`avatar assistant-emoji ${size ?? ''}`} aria-hidden="true">
      {avatar_emoji}
    </span>
  )
}
