/** Merges the metrics of several processes: each family once, with the samples of all of them. */

/** `texts` are in Prometheus' text form; their samples differ in a label of each process. */
export function mergeMetrics(texts: readonly string[]): string {
  const families = new Map<string, { head: string; samples: string[] }>()
  for (const text of texts) {
    for (const block of text.split(/^(?=# HELP )/m)) {
      const found = /^# HELP (\S+).*\n# TYPE .*\n/.exec(block)
      if (!found) continue
      const [head, name] = found
      const family = families.get(name!) ?? { head, samples: [] }
      family.samples.push(block.slice(head.length).trim())
      families.set(name!, family)
    }
  }
  return [...families.values()].map(({ head, samples }) => `${head}${samples.filter(Boolean).join('\n')}\n`).join('\n')
}
