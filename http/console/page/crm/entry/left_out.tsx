/** Says how many values a part of a thread does not show. */

export function LeftOut({ count }: { count: number }) {
  return count > 0 && <p class="faint">{count === 1 ? 'One more value' : `${count} more values`}</p>
}
