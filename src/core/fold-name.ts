/** Names and email addresses that differ only in upper and lower case have the same folded form, in every script. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
