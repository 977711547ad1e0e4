/** The picture of a person, or the initials on a color of their own. */
import { useState } from 'preact/hooks'
import { initials } from './initials.ts'

const HUES = 8

/** `id` decides the color. `size` is `small`, `large` or neither. */
export function Avatar({
  name,
  id = name ?? '',
  picture,
  size = '',
}: {
  name: string | null
  id?: string
  picture?: string | null
  size?: string
}) {
  const [is_broken, setBroken] = useState(false)
  const has_picture = picture && !is_broken && /^(https:|\/)/.test(picture)
  return (
    <span class={`avatar ${size} hue-${hueOf(id)}`} aria-hidden="true">
      {has_picture ? (
        <img
          src={picture}
          alt=""
          loading="lazy"
          decoding="async"
          referrerpolicy="no-referrer"
          onError={() => setBroken(true)}
        />
      ) : (
        initials(name ?? '')
      )}
    </span>
  )
}

function hueOf(id: string) {
  let sum = 0
  for (let at = 0; at < id.length; at++) sum = (sum * 31 + id.charCodeAt(at)) >>> 0
  return sum % HUES
}
