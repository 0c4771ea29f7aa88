import { tagsOf } from './filters.ts'
import type { SearchFields } from './fields.ts'

/** Returns the command that runs the same search in a terminal. Returns null for a search that the command line can't run. */
export function searchCommand(fields: SearchFields): string | null {
  const { q = '', project, type, path, after, before, sort, group, exact, document } = fields
  if (document) return null
  const options = [
    ...(project ? [option('--project', project)] : []),
    ...(type ? [option('--type', type)] : []),
    ...tagsOf(fields).map((tag) => option('--tag', tag)),
    ...(path ? [option('--path', path)] : []),
    ...(after ? [option('--after', after)] : []),
    ...(before ? [option('--before', before)] : []),
    ...(sort && sort !== 'relevance' ? [option('--sort', sort)] : []),
    ...(exact ? ['--no-correct'] : []),
    ...(group === 'chunk' ? [] : ['--group']),
  ]
  // A query that begins with a hyphen would be an option.
  return q.startsWith('-')
    ? ['docsearch search', ...options, '--', quote(q)].join(' ')
    : ['docsearch search', quote(q), ...options].join(' ')
}

/** A value that begins with a hyphen needs the equals sign, or it would be an option itself. */
function option(name: string, value: string): string {
  return `${name}${value.startsWith('-') ? '=' : ' '}${quote(value)}`
}

/** Quotes a value for a shell, unless it consists of harmless characters. */
function quote(value: string): string {
  if (/^[\w./:-]+$/.test(value)) return value
  return `'${value.replaceAll("'", `'\\''`)}'`
}
