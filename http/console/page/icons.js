/** Icons of 20 × 20, in the color of the text. They only repeat the text beside them. */
import { html } from './preact.js'

const SHAPES = {
  broadcasts: 'M3.5 8.2v3.6h2.6l6.4 3.7V4.5L6.1 8.2zM15.3 7.5a3.6 3.6 0 0 1 0 5',
  back: 'M12 4.5 6.5 10l5.5 5.5',
  next: 'M8 4.5 13.5 10 8 15.5',
  down: 'M5 7.5 10 12.5 15 7.5',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l3.5 3.5',
  download: 'M10 3.5v9m0 0 3.5-3.5M10 12.5 6.5 9M4 16.5h12',
  stop: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM7.7 7.7l4.6 4.6m0-4.6-4.6 4.6',
  alert: 'M10 6.5v4.2m0 2.6v.2M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14z',
  copy: 'M7.5 7.5V4h8.5v8.5h-3.5M4 7.5h8.5V16H4z',
  done: 'm4.5 10.5 3.7 3.7 7.3-8',
  out: 'M8 4H4v12h4M12.5 6.5 16 10l-3.5 3.5M16 10H8',
}

/**
 * @param {{ name: keyof typeof SHAPES }} props
 */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d=${SHAPES[name]} /></svg>`
}

/** The mark of Parley. */
export function Mark() {
  return html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect class="mark-ground" width="32" height="32" rx="8" />
    <path
      class="mark-bubble"
      d="M9 8.5h14a2.5 2.5 0 0 1 2.5 2.5v8a2.5 2.5 0 0 1-2.5 2.5h-8l-5.2 4.2a.5.5 0 0 1-.8-.4v-3.8a2.5 2.5 0 0 1-2.5-2.5v-8a2.5 2.5 0 0 1 2.5-2.5z"
    />
    <path class="mark-lines" d="M11 13h10M11 17h6" />
  </svg>`
}
