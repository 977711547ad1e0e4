/** The lines of charts as paths. No DOM. */

/** @typedef {{ at: number, value: number }} Point */
/** `until` and `span` are the end and the length of the time that is drawn, in milliseconds. */
/** @typedef {{ width: number, height: number, until: number, span: number, top: number }} Box */

/** The lengths of time that charts show: the shortest that has all that is known. */
const SPANS_MS = [2 * 60_000, 5 * 60_000, 15 * 60_000]
/** Between readings further apart nothing is known. */
const GAP_MS = 30_000
/** Room above the highest line, so that it is not cut. */
const EDGE = 2

/**
 * The points of a value of the samples.
 *
 * @param {readonly import('../../page_types/ops.ts').Sample[]} samples
 * @param {(sample: import('../../page_types/ops.ts').Sample) => number | undefined} read
 * @returns {Point[]}
 */
export function pointsOf(samples, read) {
  return samples.flatMap((sample) => {
    const value = read(sample)
    return value === undefined ? [] : [{ at: Date.parse(sample.at), value }]
  })
}

/**
 * The length of time to draw.
 *
 * @param {readonly import('../../page_types/ops.ts').Sample[]} samples
 */
export function spanOf(samples) {
  const [first, last] = [samples[0], samples.at(-1)]
  const known = first && last ? Date.parse(last.at) - Date.parse(first.at) : 0
  return /** @type {number} */ (SPANS_MS.find((span) => known <= span) ?? SPANS_MS.at(-1))
}

/**
 * The top of a scale: 1, 2 or 5 with zeros, not below the value.
 *
 * @param {number} highest
 */
export function niceTop(highest) {
  if (highest <= 1) return 1
  const unit = 10 ** Math.floor(Math.log10(highest))
  return unit * /** @type {number} */ ([1, 2, 5, 10].find((step) => step * unit >= highest))
}

/**
 * @param {readonly Point[]} points
 * @param {Box} box
 */
export function lineOf(points, box) {
  return runsOf(points, box)
    .map((run) => `M${run.join('L')}${run.length === 1 ? 'h1' : ''}`)
    .join('')
}

/**
 * The area below the line.
 *
 * @param {readonly Point[]} points
 * @param {Box} box
 */
export function areaOf(points, box) {
  return runsOf(points, box)
    .filter((run) => run.length > 1)
    .map((run) => {
      const x = (/** @type {string | undefined} */ place) => String(place).split(' ')[0]
      return `M${x(run[0])} ${box.height}L${run.join('L')}L${x(run.at(-1))} ${box.height}Z`
    })
    .join('')
}

/**
 * The point nearest to a time; undefined when none is near.
 *
 * @param {readonly Point[]} points
 * @param {number} at
 */
export function nearest(points, at) {
  let found
  for (const point of points) {
    if (!found || Math.abs(point.at - at) < Math.abs(found.at - at)) found = point
  }
  return found && Math.abs(found.at - at) <= GAP_MS ? found : undefined
}

/**
 * Places that belong together, each as `x y`.
 *
 * @param {readonly Point[]} points
 * @param {Box} box
 */
function runsOf(points, { width, height, until, span, top }) {
  /** @type {string[][]} */
  const runs = []
  let last = Number.NEGATIVE_INFINITY
  for (const { at, value } of points) {
    if (at < until - span) continue
    const x = width * (1 - (until - at) / span)
    const y = height - EDGE / 2 - (Math.min(value, top) / top) * (height - EDGE)
    if (at - last > GAP_MS) runs.push([])
    runs.at(-1)?.push(`${x.toFixed(1)} ${y.toFixed(1)}`)
    last = at
  }
  return runs
}
