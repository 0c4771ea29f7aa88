/**
 * Returns a function from two neighbouring words to the number of their phrase, or -1. `pairs` holds the two words of each phrase. It uses
 * open addressing over typed arrays: every two words of every document are looked up, and a Map takes five times as long.
 */
export function createPhrases(pairs: ArrayLike<number>): (first: number, second: number) => number {
  const count = pairs.length / 2
  const bits = Math.ceil(Math.log2(Math.max(2, count))) + 2
  const mask = (1 << bits) - 1
  const slots = new Int32Array(1 << bits).fill(-1)
  const slotOf = (first: number, second: number) => (Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b) >>> 11) & mask

  for (let phrase = 0; phrase < count; phrase++) {
    let slot = slotOf(pairs[2 * phrase]!, pairs[2 * phrase + 1]!)
    while (slots[slot] !== -1) slot = (slot + 1) & mask
    slots[slot] = phrase
  }

  return (first, second) => {
    for (let slot = slotOf(first, second); ; slot = (slot + 1) & mask) {
      const phrase = slots[slot]!
      if (phrase === -1 || (pairs[2 * phrase] === first && pairs[2 * phrase + 1] === second)) return phrase
    }
  }
}
