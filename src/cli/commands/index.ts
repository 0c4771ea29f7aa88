import type { Command, Noun } from '../define.ts'

type Load = () => Promise<{ default: Command | Noun }>

const documents: Load = () => import('./documents/index.ts')

/** Every command by the words that name it, in the order of `docsearch --help`. */
const COMMANDS: Readonly<Record<string, Load>> = {
  serve: () => import('./serve.ts'),
  reindex: () => import('./reindex.ts'),
  doctor: () => import('./doctor/index.ts'),
  login: () => import('./login/index.ts'),
  logout: () => import('./logout.ts'),
  profiles: () => import('./profiles.ts'),
  whoami: () => import('./whoami.ts'),
  upload: () => import('./upload/index.ts'),
  sync: () => import('./sync/index.ts'),
  export: () => import('./export/index.ts'),
  import: () => import('./import/index.ts'),
  search: () => import('./search/index.ts'),
  open: () => import('./open.ts'),
  mcp: () => import('./mcp/index.ts'),
  eval: () => import('./eval/index.ts'),
  projects: () => import('./projects/index.ts'),
  documents,
  docs: documents,
  synonyms: () => import('./synonyms/index.ts'),
  webhooks: () => import('./webhooks.ts'),
  keys: () => import('./keys.ts'),
  users: () => import('./users/index.ts'),
  clients: () => import('./clients.ts'),
  audit: () => import('./audit.ts'),
  backup: () => import('./backup/index.ts'),
  restore: () => import('./restore.ts'),
  migrate: () => import('./migrate.ts'),
  models: () => import('./models.ts'),
  status: () => import('./status/index.ts'),
  completion: () => import('./completion.ts'),
  __complete: () => import('./complete.ts'),
}

/** The command that a word names. Every command without a word, or for one that names none. */
export async function loadCommands(word?: string): Promise<(Command | Noun)[]> {
  const named = word !== undefined && Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined
  const loads = named === undefined ? [...new Set(Object.values(COMMANDS))] : [named]
  const modules = await Promise.all(loads.map((load) => load()))
  return modules.map((module) => module.default)
}
