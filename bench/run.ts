// `npm run bench [-- startup|embed|search|ingest|pages|turns|footprint|scale|projects|processes|ollama|sync|backup …]` measures ratios of one run.
// Without a section, it measures all of them. It prints rows of a table; bench/RESULTS.md has the newest figures and their history.
//
// Options of `scale`: `--passages 200000` (20,000 by default, also for `projects` and `processes`); `--searches 10000` before memory is measured;
// `--checkout FOLDER` for another built checkout, to measure in turns with this one (`.`), several times; `--rivals fts5,xapian,postgres,lancedb`
// (all by default, `--rivals ''` for none). Options of `ollama`, which measures with the Ollama that OLLAMA_HOST names, otherwise with a fake one:
// `--model all-minilm`; `--questions 100`, also for `processes`; `--checkout FOLDER` as above. Options of `processes`: `--notes 1000` and
// `--pdfs 400`, the numbers of further, short documents and of PDFs. Variables such as DOCSEARCH_LOG_LEVEL reach the daemons.
import { parseArgs } from 'node:util'
import { startInstance } from '../test/quality/instance.ts'
import { measureBackup } from './backup.ts'
import { measureEmbed } from './embed.ts'
import { measureFootprint } from './footprint.ts'
import { measureIngest } from './ingest.ts'
import { describeMachine } from './machine.ts'
import type { Figure } from './measure.ts'
import { measurePages } from './pages.ts'
import { RIVAL_NAMES } from './scale/rivals/build.ts'
import { measureProjects } from './scale/projects.ts'
import { measureProcesses } from './scale/processes/measure.ts'
import { measureScale } from './scale/scale.ts'
import { measureSearch } from './search.ts'
import { measureStartup } from './startup.ts'
import { measureSync } from './sync.ts'
import { measureTurns } from './turns.ts'
import { measureWhileEmbedding } from './while-embedding.ts'

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    passages: { type: 'string', default: '20000' },
    searches: { type: 'string', default: '10000' },
    checkout: { type: 'string', multiple: true, default: ['.'] },
    rivals: { type: 'string', default: RIVAL_NAMES.join() },
    model: { type: 'string', default: 'all-minilm' },
    questions: { type: 'string', default: '100' },
    notes: { type: 'string', default: '1000' },
    pdfs: { type: 'string', default: '400' },
  },
})

const checkouts = values.checkout.map((folder) => (folder === '.' ? null : folder))

const SECTIONS: Record<string, () => Promise<Figure[]>> = {
  startup: async () => {
    const instance = await startInstance()
    try {
      return await measureStartup(instance)
    } finally {
      await instance.dispose()
    }
  },
  embed: measureEmbed,
  search: measureSearch,
  ingest: measureIngest,
  pages: measurePages,
  turns: measureTurns,
  footprint: measureFootprint,
  scale: () =>
    measureScale({
      passages: Number(values.passages),
      searches: Number(values.searches),
      checkouts,
      rivals: values.rivals.split(',').filter(Boolean),
    }),
  projects: () => measureProjects(Number(values.passages)),
  processes: () =>
    measureProcesses({
      passages: Number(values.passages),
      notes: Number(values.notes),
      pdfs: Number(values.pdfs),
      questions: Number(values.questions),
    }),
  sync: measureSync,
  backup: measureBackup,
  ollama: () => measureWhileEmbedding({ checkouts, model: values.model, searches: Number(values.questions) }),
}

const unknown = wanted.filter((name) => !(name in SECTIONS))
if (unknown.length > 0) {
  console.error(`Unknown section: ${unknown.join(', ')}. Sections: ${Object.keys(SECTIONS).join(', ')}.`)
  process.exit(2)
}
console.log('| what | figure | bound |\n|---|---|---|')
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  for (const { name: what, value, bound } of await measure()) {
    console.log(`| ${what} | ${value} | ${bound ?? ''} |`)
  }
}
console.log(`\nMeasured on ${describeMachine()}.`)
