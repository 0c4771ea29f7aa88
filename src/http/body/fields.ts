/** Many times the fields of any form, query and OAuth request. */
export const MAX_FIELDS = 100

/** Returns true for a form or a query with too many fields, without parsing it: ten thousand fields of 64 kB would take 10 ms. */
export function hasTooManyFields(text: string): boolean {
  return text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS
}
