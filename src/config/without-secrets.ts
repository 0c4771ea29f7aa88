/** Names of settings that hold a secret. docsearch reads secrets from the environment only, but a file can have them nevertheless. */
const SECRET = /(^|[._])(key|password|secret|token|credentials?)$/i

/** Returns the JSON of a settings file without secrets, for a backup. Returns null if it is not a JSON object. */
export function withoutSecrets(text: string): string | null {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null
  return `${JSON.stringify(cleaned(json), null, 2)}\n`
}

/** Returns the JSON of a settings file without a group of settings, such as `backup`, and whether it had one. */
export function withoutGroup(text: string, group: string): { text: string; had: boolean } {
  const entries = Object.entries(JSON.parse(text) as object)
  const rest = entries.filter(([name]) => name !== group && !name.startsWith(`${group}.`))
  return { text: `${JSON.stringify(Object.fromEntries(rest), null, 2)}\n`, had: rest.length < entries.length }
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return withoutPassword(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cleaned)
  return Object.fromEntries(Object.entries(value).flatMap(([name, inner]) => (SECRET.test(name) ? [] : [[name, cleaned(inner)]])))
}

/** Removes user name and password from an address. */
function withoutPassword(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#\s]*@/i, '$1')
}
