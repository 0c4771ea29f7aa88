// node training/thesaurus.ts WORDS.TXT OUT.TSV: turns a thesaurus, one entry a line (`word,synonym,synonym,…`), into pairs.
import { readFileSync, writeFileSync } from 'node:fs'
import { drawFrom } from './random.ts'

/** Entries are long and mix senses: a sample teaches the model more than the whole entry, and several samples more than one. */
const SAMPLES = 4
const SYNONYMS = 10

const [words, out] = process.argv.slice(2) as [string, string]
const draw = drawFrom(1)
const lines = readFileSync(words, 'utf8')
  .split(/\r?\n/)
  .flatMap((line) => {
    const [word, ...synonyms] = line.split(',').map((one) => one.trim())
    if (word === undefined || synonyms.length < 2) return []
    const samples = synonyms.length <= SYNONYMS ? 1 : SAMPLES
    return Array.from({ length: samples }, () => `moby\tth\t${word}\t${draw(synonyms, SYNONYMS).join(' . ')}`)
  })
writeFileSync(out, `${lines.join('\n')}\n`)
