/** Draws the dashboard from the answers of a real Prometheus, as Grafana would place it, and takes a picture of it. */
import { chromium } from 'playwright-core'
import type { Panel, Query, Row } from '../../http/metrics/dashboard/panel.ts'
import { findChromium } from '../console/chromium.ts'
import type { Course } from './prometheus.ts'

type Read = (expr: string) => Promise<Course[]>
type Line = { legend: string; points: [at: number, value: number][] }

const COLOURS = ['#3274d9', '#e0752d', '#0a8754', '#8f3bb8', '#c4162a', '#b88a00', '#0e7c86', '#7a5c3e']
const [WIDTH, HEIGHT] = [386, 130]

export async function drawDashboard(rows: readonly Row[], read: Read, file: string): Promise<void> {
  const sections: string[] = []
  for (const { title, panels } of rows) {
    const drawn = await Promise.all(panels.map(async (panel) => draw(panel, await linesOf(panel, read))))
    sections.push(`<h2>${title}</h2><div class="row">${drawn.join('')}</div>`)
  }
  const { executablePath, env } = await findChromium()
  const all = { ...(process.env as Record<string, string>), ...env }
  const browser = await chromium.launch({ executablePath, env: all, args: ['--no-sandbox', '--headless=new'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1260, height: 800 }, deviceScaleFactor: 2 })
    await page.setContent(`<style>${STYLE}</style><h1>Parley</h1>${sections.join('')}`)
    await page.screenshot({ path: file, fullPage: true })
  } finally {
    await browser.close()
  }
}

async function linesOf({ queries }: Panel, read: Read): Promise<Line[]> {
  const found = await Promise.all(queries.map(async (query) => ({ query, courses: await read(query.expr) })))
  return found.flatMap(({ query, courses }) =>
    courses.map(({ metric, values }) => ({
      legend: legendOf(query, metric),
      points: values
        .map(([at, value]): [number, number] => [at, Number(value)])
        .filter(([, value]) => Number.isFinite(value)),
    })),
  )
}

const legendOf = ({ legend }: Query, metric: Record<string, string>) =>
  legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? '').trim()

function draw({ title, kind, unit, bad_above }: Panel, lines: Line[]): string {
  if (kind === 'stat') {
    const last = lines[0]?.points.at(-1)?.[1] ?? 0
    const colour = bad_above !== undefined && last > bad_above ? '#c4162a' : '#0a8754'
    return `<div class="stat"><h3>${title}</h3><b style="color:${colour}">${shown(last, unit)}</b></div>`
  }
  const all = lines.flatMap(({ points }) => points)
  const [from, to] = [Math.min(...all.map(([at]) => at)), Math.max(...all.map(([at]) => at))]
  const highest = Math.max(...all.map(([, value]) => value), 0)
  const most = highest === 0 ? 1 : highest * 1.1
  const x = (at: number) => (((at - from) / Math.max(1, to - from)) * WIDTH).toFixed(1)
  const y = (value: number) => (HEIGHT - (value / most) * HEIGHT).toFixed(1)
  const drawn = lines.map(({ points }, at) => {
    const path = points.map(([time, value]) => `${x(time)},${y(value)}`).join(' ')
    return `<polyline points="${path}" stroke="${COLOURS[at % COLOURS.length]}"/>`
  })
  const grid = [0.25, 0.5, 0.75].map((part) => `<path d="M0 ${HEIGHT * part}H${WIDTH}"/>`)
  const names = lines.map(
    ({ legend }, at) => `<i style="background:${COLOURS[at % COLOURS.length]}"></i>${escaped(legend || title)}`,
  )
  const empty = lines.length === 0 ? '<em>no data</em>' : ''
  return `<div class="graph"><h3>${title}<small>${shown(highest, unit)}</small></h3>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}">${grid.join('')}${drawn.join('')}</svg>${empty}<p>${names.join(' ')}</p></div>`
}

function shown(value: number, unit: Panel['unit']): string {
  const short = (number: number) => (number === 0 ? '0' : number.toPrecision(3).replace(/\.?0+$/, ''))
  if (unit === 's') return value >= 1 || value === 0 ? `${short(value)} s` : `${short(value * 1000)} ms`
  if (unit === 'bytes') return `${Math.round(value / 1024 ** 2)} MiB`
  if (unit === 'percentunit') return `${Math.round(value * 100)} %`
  return unit === 'short' ? short(value) : `${short(value)}/s`
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const STYLE = `
  body { margin: 0; padding: 16px 24px; font: 13px system-ui, sans-serif; color: #1f2430; background: #f3f4f7 }
  h1 { margin: 0 0 4px; font-size: 20px } h2 { margin: 14px 0 6px; font-size: 14px }
  h3 { margin: 0 0 6px; font-size: 12px; display: flex; justify-content: space-between } small { color: #667; font-weight: 400 }
  .row { display: flex; flex-wrap: wrap; gap: 8px }
  .graph, .stat { background: #fff; border: 1px solid #dde; border-radius: 4px; padding: 8px; box-sizing: border-box; position: relative }
  .graph { width: 398px } .stat { width: 195px } .stat b { font-size: 26px }
  svg { width: 100%; height: ${HEIGHT}px; display: block } polyline { fill: none; stroke-width: 1.5 } path { stroke: #eef; fill: none }
  em { position: absolute; left: 45%; top: 80px; color: #889 }
  p { margin: 4px 0 0; font-size: 11px; color: #445; line-height: 1.5; height: 33px; overflow: hidden }
  i { display: inline-block; width: 10px; height: 3px; margin: 0 4px 2px 6px }`
