/** Resolves an address in a part like a relative address, without its fragment. It never leaves the package, because names are only compared. */
export function resolvePart(from: string, address: string): string {
  const target = decode(address.replace(/[?#].*$/s, ''))
  const path = target.startsWith('/') ? [] : from.split('/').slice(0, -1)
  for (const step of target.split('/')) {
    if (step === '..') path.pop()
    else if (step !== '' && step !== '.') path.push(step)
  }
  return path.join('/')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A percent sign that encodes nothing.
    return text
  }
}
