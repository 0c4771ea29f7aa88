/** One line of Prometheus' text format. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Reads Prometheus' text format. Throws for a line that is not in it. */
export function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line)
      if (match === null) throw new Error(`not a sample: ${line}`)
      const [, name = '', labels = '', value = ''] = match
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, content]) => [label, content])
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }
    })
}

/** Returns the names of all metrics, with their labels in alphabetical order. A histogram counts once. */
export function labelsOf(text: string): Map<string, string[]> {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]))
  const labels = new Map([...types.keys()].map((name) => [name, new Set<string>()]))
  for (const sample of samplesOf(text)) {
    const base = sample.name.replace(/_(?:bucket|sum|count)$/, '')
    const name = ['histogram', 'summary'].includes(types.get(base) ?? '') ? base : sample.name
    for (const label of Object.keys(sample.labels)) if (label !== 'le' && label !== 'quantile') labels.get(name)?.add(label)
  }
  return new Map([...labels].map(([name, found]) => [name, [...found].toSorted()]))
}
