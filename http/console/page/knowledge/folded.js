/**
 * The name without case and accents.
 *
 * @param {string} name
 */
export function folded(name) {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
