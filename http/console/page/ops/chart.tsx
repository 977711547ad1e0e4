/**
 * Line charts of the last 15 minutes. The drawing is stretched to the width of its place; names and numbers are text above
 * it. Without a reading for a while the line has a gap.
 */
import { useState } from 'preact/hooks'
import { clockTime, number } from '../ui/format/format.ts'
import { areaOf, lineOf, nearest, niceTop, type Point } from './chart_lines.ts'

type Series = { name: string; points: Point[] }

const WIDTH = 600
const HEIGHT = 100

/** `show` writes a value, such as a number with its unit. The first series is filled. */
export function Chart({
  label,
  series,
  until,
  span,
  show = whole,
}: {
  label: string
  series: Series[]
  until: number
  span: number
  show?: (value: number) => string
}) {
  const [at, setAt] = useState<number | null>(null)
  const all = series.flatMap(({ points }) => points.map(({ value }) => value))
  const highest = Math.max(0, ...all)
  const top = niceTop(highest)
  const box = { width: WIDTH, height: HEIGHT, until, span, top }
  const minutes = span / 60_000
  const follow = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect()
    setAt(until - span + ((event.clientX - left) / width) * span)
  }
  const pointed = at === null ? null : nearest(series[0]?.points ?? [], at)
  const now = series.map(({ name, points }) => `${name} ${show(points.at(-1)?.value ?? 0)}`).join(', ')
  return (
    <figure class="ops-chart">
      <div class="ops-plot" onPointerMove={follow} onPointerLeave={() => setAt(null)}>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${label} over ${minutes} minutes. Now: ${now}. Highest: ${show(highest)}.`}
        >
          <path class="ops-grid" d={`M0 0.5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}`} />
          {series[0] && <path class="ops-area" d={areaOf(series[0].points, box)} />}
          {series.map(({ name, points }, n) => (
            <path class={`ops-line line-${n}`} d={lineOf(points, box)} key={name} />
          ))}
        </svg>
        <span class="ops-top" aria-hidden="true">
          {show(top)}
        </span>
        {pointed && <Pointed series={series} at={pointed.at} until={until} span={span} show={show} />}
      </div>
      <div class="ops-axis" aria-hidden="true">
        <span>−{minutes} min</span>
        <span>−{minutes / 2}</span>
        <span>now</span>
      </div>
      {series.length > 1 && (
        <figcaption class="ops-legend">
          {series.map(({ name, points }, n) => {
            return (
              <span key={name}>
                <i class={`line-${n}`}></i>
                {name} <b>{show(points.at(-1)?.value ?? 0)}</b>
              </span>
            )
          })}
        </figcaption>
      )}
    </figure>
  )
}

/** The values at a moment, above the chart. */
function Pointed({
  series,
  at,
  until,
  span,
  show,
}: {
  series: Series[]
  at: number
  until: number
  span: number
  show: (value: number) => string
}) {
  const part = 1 - (until - at) / span
  const style = { left: `${part * 100}%` }
  return (
    <>
      <span class="ops-cursor" style={style}></span>
      <span class={`ops-tip ${part > 0.6 ? 'left' : ''}`} style={style}>
        <b>{clockTime(new Date(at).toISOString())}</b>
        {series.map(({ name, points }, n) => {
          return (
            <span key={name}>
              <i class={`line-${n}`}></i>
              {name} <b>{show(nearest(points, at)?.value ?? 0)}</b>
            </span>
          )
        })}
      </span>
    </>
  )
}

/** A line without numbers, for a row of a table. */
export function Spark({ label, points, until, span }: { label: string; points: Point[]; until: number; span: number }) {
  const box = { width: WIDTH, height: HEIGHT, until, span, top: Math.max(1, ...points.map(({ value }) => value)) }
  return (
    <svg class="ops-spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <path class="ops-area" d={areaOf(points, box)} />
      <path class="ops-line line-0" d={lineOf(points, box)} />
    </svg>
  )
}

function whole(value: number) {
  return number(Math.round(value))
}
