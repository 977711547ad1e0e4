/** Finds pages that are one picture, as scanners make them. */

/** The library's numbers of what changes the scale of a drawing. */
const SAVE = 10
const RESTORE = 11
const TRANSFORM = 12
const BEGIN_FORM = 74
const END_FORM = 75
/** A picture takes at least this part of a page that it is. */
const MAX = 0.5

type Drawing = { fnArray: ArrayLike<number>; argsArray: ArrayLike<unknown> }

/**
 * True when a picture takes most of the page. Pictures are drawn as squares of one unit, so the scale is their size; it is
 * known of those, too, that the library does not load. `view`: left, bottom, right and top of the page.
 */
export function isPicture({ fnArray, argsArray }: Drawing, view: ArrayLike<number>): boolean {
  const page = Math.abs((view[2]! - view[0]!) * (view[3]! - view[1]!))
  const kept: number[] = []
  let area = 1
  for (let at = 0; at < fnArray.length; at++) {
    const drawn = fnArray[at]
    if (drawn === SAVE || drawn === BEGIN_FORM) kept.push(area)
    if (drawn === RESTORE || drawn === END_FORM) area = kept.pop() ?? 1
    const argument = argsArray[at] as [number[]] | number[] | null
    const matrix = drawn === TRANSFORM ? argument : drawn === BEGIN_FORM ? argument?.[0] : undefined
    if (matrix) area *= areaOf(matrix as ArrayLike<number>)
    if (area >= MAX * page) return true
  }
  return false
}

function areaOf(matrix: ArrayLike<number>): number {
  return Math.abs(matrix[0]! * matrix[3]! - matrix[1]! * matrix[2]!)
}
