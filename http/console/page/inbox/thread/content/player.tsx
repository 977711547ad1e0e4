/** Recordings and films, played in place. */

import { useState } from 'preact/hooks'
import { Icon } from '../../../ui/pictures/icons.tsx'

type PlayerProps = { type: string; address: string; name: string; onError(): void }

export function Player({ type, address, name, onError }: PlayerProps) {
  if (type === 'video') return <Film {...{ address, name, onError }} />
  return (
    <audio class="inbox-audio" src={address} controls preload="metadata" aria-label={name} onError={onError}></audio>
  )
}

/**
 * A film has a place of its shape from the start, its name, and its length once it is known. The browser shows the first frame, for
 * which it reads only the beginning of the file.
 */
function Film({ address, name, onError }: Omit<PlayerProps, 'type'>) {
  const [seconds, setSeconds] = useState<number | null>(null)
  return (
    <figure class={`inbox-film ${seconds === null ? 'is-waiting' : ''}`}>
      <video
        class="inbox-video"
        src={address}
        controls
        preload="metadata"
        aria-label={name}
        onLoadedMetadata={({ currentTarget }) => setSeconds(currentTarget.duration)}
        onError={onError}
      ></video>
      <figcaption class="faint">
        <Icon name="video" /> <bdi>{name}</bdi>
        {seconds !== null && Number.isFinite(seconds) && ` · ${lengthText(seconds)}`}
      </figcaption>
    </figure>
  )
}

/** `0:07`, `1:02:03`. */
function lengthText(seconds: number) {
  const whole = Math.max(1, Math.round(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}
