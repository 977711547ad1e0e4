/** The lines of charts as paths. No DOM. */
import type { Sample } from './records.ts'

export type Point = { at: number; value: number }
/** `until` and `span` are the end and the length of the time that is drawn, in milliseconds. */
type Box = { width: number; height: number; until: number; span: number; top: number }

/** The lengths of time that charts show: the shortest that has all that is known. */
const SPANS_MS = [2 * 60_000, 5 * 60_000, 15 * 60_000]
/** Between readings further apart nothing is known. */
const GAP_MS = 30_000
/** Room above the highest line, so that it is not cut. */
const EDGE = 2

/** The points of a value of the samples. */
export function pointsOf(samples: readonly Sample[], read: (sample: Sample) => number | undefined): Point[] {
  return samples.flatMap((sample) => {
    const value = read(sample)
    return value === undefined ? [] : [{ at: Date.parse(sample.at), value }]
  })
}

/** The length of time to draw. */
export function spanOf(samples: readonly Sample[]) {
  const [first, last] = [samples[0], samples.at(-1)]
  const known = first && last ? Date.parse(last.at) - Date.parse(first.at) : 0
  return SPANS_MS.find((span) => known <= span) ?? (SPANS_MS.at(-1) as number)
}

/** The top of a scale: 1, 2 or 5 with zeros, not below the value. */
export function niceTop(highest: number) {
  if (highest <= 1) return 1
  const unit = 10 ** Math.floor(Math.log10(highest))
  return unit * ([1, 2, 5, 10].find((step) => step * unit >= highest) as number)
}

export function lineOf(points: readonly Point[], box: Box) {
  return runsOf(points, box)
    .map((run) => `M${run.join('L')}${run.length === 1 ? 'h1' : ''}`)
    .join('')
}

/** The area below the line. */
export function areaOf(points: readonly Point[], box: Box) {
  return runsOf(points, box)
    .filter((run) => run.length > 1)
    .map((run) => {
      const x = (place: string | undefined) => String(place).split(' ')[0]
      return `M${x(run[0])} ${box.height}L${run.join('L')}L${x(run.at(-1))} ${box.height}Z`
    })
    .join('')
}

/** The point nearest to a time; undefined when none is near. */
export function nearest(points: readonly Point[], at: number) {
  let found: Point | undefined
  for (const point of points) {
    if (!found || Math.abs(point.at - at) < Math.abs(found.at - at)) found = point
  }
  return found && Math.abs(found.at - at) <= GAP_MS ? found : undefined
}

/** Places that belong together, each as `x y`. */
function runsOf(points: readonly Point[], { width, height, until, span, top }: Box) {
  const runs: string[][] = []
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
