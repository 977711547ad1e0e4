/** The name without case and accents. */
export function folded(name: string) {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
