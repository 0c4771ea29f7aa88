/** Number of slots at first. It doubles whenever half of them are in use. */
const FIRST_SIZE = 8192

/**
 * Counts hashed features, and is cleared for every passage. It uses open addressing over typed arrays: a Map of numbers takes ten times
 * as long, and counting is most of the built-in embedder's work.
 */
export class FeatureCounts {
  private keys = new Int32Array(FIRST_SIZE)
  private counts = new Int32Array(FIRST_SIZE)
  /** The slots in use, in the order of their first use. */
  private slots = new Int32Array(FIRST_SIZE)
  private used = 0

  clear(): void {
    for (let i = 0; i < this.used; i++) this.counts[this.slots[i]!] = 0
    this.used = 0
  }

  add(hash: number, count: number): void {
    if (this.used * 2 >= this.keys.length) this.grow()
    const { keys, counts } = this
    const mask = keys.length - 1
    let slot = hash & mask
    while (counts[slot] !== 0 && keys[slot] !== hash) slot = (slot + 1) & mask
    if (counts[slot] === 0) {
      keys[slot] = hash
      this.slots[this.used++] = slot
    }
    counts[slot]! += count
  }

  /** Visits the features in the order in which they were first added. */
  forEach(visit: (hash: number, count: number) => void): void {
    for (let i = 0; i < this.used; i++) {
      const slot = this.slots[i]!
      visit(this.keys[slot]!, this.counts[slot]!)
    }
  }

  private grow(): void {
    const { keys, counts, slots, used } = this
    this.keys = new Int32Array(keys.length * 2)
    this.counts = new Int32Array(keys.length * 2)
    this.slots = new Int32Array(keys.length * 2)
    this.used = 0
    for (let i = 0; i < used; i++) this.add(keys[slots[i]!]!, counts[slots[i]!]!)
  }
}
