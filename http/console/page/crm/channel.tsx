/** The mark of a channel. */
import { lettersOfChannel, nameOfChannel } from './channels.ts'

export function ChannelMark({ type }: { type: string }) {
  return (
    <span class={`inbox-channel of-${type}`} title={nameOfChannel(type)}>
      <span aria-hidden="true">{lettersOfChannel(type)}</span>
      <span class="aside">{nameOfChannel(type)}</span>
    </span>
  )
}
