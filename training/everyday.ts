// node training/everyday.ts FOLDER OUT.TSV: turns concepts into pairs. Each line is a concept, with everyday and formal ways to say it: `a | b<TAB>c | d`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawFrom } from './random.ts'

/** Pairs of each concept, so that every everyday wording meets several formal ones. */
const SAMPLES = 16
const FORMAL = 2

const [folder, out] = process.argv.slice(2) as [string, string]
const draw = drawFrom(1)
const lines = readdirSync(folder)
  .filter((name) => name.endsWith('.tsv'))
  .toSorted()
  .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean))
  .flatMap((line) => {
    const [everyday, formal] = line.split('\t').map((side) => side.split('|').map((one) => one.trim())) as [string[], string[]]
    return Array.from({ length: SAMPLES }, (_, i) => {
      const [short] = i < everyday.length ? [everyday[i]!] : draw(everyday, 1)
      return `everyday\tintent\t${short}\t${draw(formal, FORMAL).join('. ')}`
    })
  })
writeFileSync(out, `${lines.join('\n')}\n`)
console.log(`${lines.length} pairs of everyday language`)
