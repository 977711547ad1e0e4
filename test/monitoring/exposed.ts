/** The samples of a page of metrics, read from its text. */

export type Family = { type: string; help: string; samples: Sample[] }
export type Sample = { name: string; labels: Record<string, string>; value: number }

export function readPage(text: string): Map<string, Family> {
  const families = new Map<string, Family>()
  for (const block of text.split(/^(?=# HELP )/m)) {
    const head = /^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)\n/.exec(block)
    if (!head) continue
    const [whole, name = '', help = '', type = ''] = head
    const lines = block.slice(whole.length).split('\n').filter(Boolean)
    families.set(name, { type, help, samples: lines.map(readSample) })
  }
  return families
}

function readSample(line: string): Sample {
  const [, name = '', inside = '', value] = /^([^\s{]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  const labels = [...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text])
  return { name, labels: Object.fromEntries(labels), value: Number(value) }
}
