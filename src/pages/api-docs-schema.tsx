/** The parts of JSON Schema that the API's schemas use. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

const MAX_DEPTH = 5

/** Describes a schema in words, and each field of an object. */
export function Fields({ schema, schemas, depth = 0 }: { schema: Schema; schemas: Record<string, Schema>; depth?: number }) {
  const own = resolve(schema, schemas)
  const properties = objectOf(own, schemas)?.properties
  if (properties === undefined || depth >= MAX_DEPTH) return <span class="type">{words(own, schemas)}</span>
  const required = new Set(objectOf(own, schemas)?.required)
  return (
    <>
      {depth > 0 ? <span class="type">{words(own, schemas)}</span> : null}
      <ul class="fields">
        {Object.entries(properties).map(([name, inner]) => (
          <li>
            <code>{name}</code>
            {required.has(name) ? null : <small> optional</small>} <Fields schema={inner} schemas={schemas} depth={depth + 1} />
            {inner.description === undefined ? null : <span class="note"> {withCode(inner.description)}</span>}
          </li>
        ))}
      </ul>
    </>
  )
}

function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (schemas[name] ?? schema)
}

/** Returns the object in a schema: itself, the entries of a list, or the part that is not null. */
function objectOf(schema: Schema, schemas: Record<string, Schema>): Schema | undefined {
  const own = resolve(schema, schemas)
  if (own.properties !== undefined) return own
  if (own.items !== undefined) return objectOf(own.items, schemas)
  return own.anyOf?.map((one) => objectOf(one, schemas)).find((found) => found !== undefined)
}

function words(schema: Schema, schemas: Record<string, Schema>): string {
  const own = resolve(schema, schemas)
  if (own.const !== undefined) return JSON.stringify(own.const)
  if (own.enum !== undefined) return `${own.enum.map((value) => JSON.stringify(value)).join(' | ')}${defaultOf(own)}`
  if (own.anyOf !== undefined) return own.anyOf.map((one) => words(one, schemas)).join(' or ') + defaultOf(own)
  if (own.items !== undefined)
    return `list of ${words(own.items, schemas)}${range(own.minItems, own.maxItems, 'entries')}${defaultOf(own)}`
  const type = Array.isArray(own.type) ? own.type.join(' or ') : (own.type ?? 'any')
  return `${type}${range(own.minimum, safe(own.maximum), '')}${range(own.minLength, own.maxLength, 'characters')}${defaultOf(own)}`
}

/** Drops the bound that zod writes for every integer, because it tells readers nothing. */
function safe(maximum: number | undefined): number | undefined {
  return maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  const from = min === undefined || min === Number.MIN_SAFE_INTEGER ? undefined : min
  if (from === undefined && max === undefined) return ''
  const text = max === undefined ? `at least ${from}` : from === undefined ? `at most ${max}` : `${from} to ${max}`
  return `, ${text}${unit === '' ? '' : ` ${unit}`}`
}

function defaultOf(schema: Schema): string {
  return schema.default === undefined ? '' : `, default ${JSON.stringify(schema.default)}`
}

/** Returns the smallest valid object: the required fields, or the first field if none is required. */
export function exampleValue(schema: Schema, schemas: Record<string, Schema>): Record<string, unknown> {
  const { properties = {}, required = [] } = resolve(schema, schemas)
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
  return Object.fromEntries(
    names.map((name) => [name, properties[name]?.type === 'string' ? name.toUpperCase() : (properties[name]?.default ?? null)]),
  )
}

/** Renders the parts of a text that are in backticks as code. */
export function withCode(text: string) {
  return text.split('`').map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))
}
