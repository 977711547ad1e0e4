/** A time on a page. */
import { exactly, moment } from './format.ts'

export function Moment({ at }: { at: string | null }) {
  return at ? (
    <time datetime={at} title={exactly(at)}>
      {moment(at)}
    </time>
  ) : (
    <span class="faint">–</span>
  )
}
