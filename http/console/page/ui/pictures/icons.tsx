/**
 * Icons of 20 × 20, in the color of the text. They only repeat the text beside them. Those of the first view are here, the
 * others in `more_icons.ts`, which is loaded when one of them is first drawn.
 */

import { signal } from '@preact/signals'
import type { MoreShapes } from './more_icons.ts'

const SHAPES = {
  down: 'M5 7.5 10 12.5 15 7.5',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l3.5 3.5',
  alert: 'M10 6.5v4.2m0 2.6v.2M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14z',
  filter: 'M3.5 5.5h13M6 10h8m-5.5 4.5h3',
  sort: 'M6.5 4.5v11m0 0L4 13m2.5 2.5L9 13M13.5 15.5v-11m0 0L11 7m2.5-2.5L16 7',
  bell: 'M5.5 13.5V9a4.5 4.5 0 0 1 9 0v4.5l1.5 1.5H4zM8.5 15.5a1.5 1.5 0 0 0 3 0',
  inbox: 'M3.5 11 5.5 4.5h9l2 6.5v4.5h-13zM3.5 11h4l1 2h3l1-2h4',
  board: 'M4 4.5h3.5v11H4zM8.3 4.5h3.5v7H8.3zM12.6 4.5h3.5v9h-3.5z',
  contacts:
    'M7.5 9.5a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2.5 16c.3-2.7 2.3-4.2 5-4.2s4.7 1.5 5 4.2M13 4.6a2.5 2.5 0 0 1 0 4.7M14.5 12.2c1.7.5 2.8 1.8 3 3.8',
  knowledge:
    'M10 5.5C8.5 4.3 6.5 4 3.5 4v11c3 0 5 .3 6.5 1.5M10 5.5C11.5 4.3 13.5 4 16.5 4v11c-3 0-5 .3-6.5 1.5M10 5.5v11',
  appointments: 'M4 5.5h12v11H4zM4 9h12M7.5 3.5v3M12.5 3.5v3',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l3 2',
  check: 'm3.5 10.5 3.5 3.5 8-9',
  checks: 'm2 10.5 3.3 3.5 6.7-8M9.5 12.8l1.2 1.2 7-8',
}

export type IconName = keyof typeof SHAPES | keyof MoreShapes

const more = signal<Partial<Record<IconName, string>>>({})
let is_loading = false

/** An icon that cannot be loaded is missing beside its text, until the next one is drawn. */
function loadMore() {
  if (is_loading) return
  is_loading = true
  import('./more_icons.ts').then(
    ({ SHAPES }) => {
      more.value = SHAPES
    },
    () => {
      is_loading = false
    },
  )
}

export function Icon({ name }: { name: IconName }) {
  const first: Partial<Record<IconName, string>> = SHAPES
  const shape = first[name] ?? more.value[name]
  if (!shape) loadMore()
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={shape ?? ''} />
    </svg>
  )
}

/** The mark of Parley. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect class="mark-ground" width="32" height="32" rx="8" />
      <path
        class="mark-bubble"
        d="M9 8.5h14a2.5 2.5 0 0 1 2.5 2.5v8a2.5 2.5 0 0 1-2.5 2.5h-8l-5.2 4.2a.5.5 0 0 1-.8-.4v-3.8a2.5 2.5 0 0 1-2.5-2.5v-8a2.5 2.5 0 0 1 2.5-2.5z"
      />
      <path class="mark-lines" d="M11 13h10M11 17h6" />
    </svg>
  )
}
