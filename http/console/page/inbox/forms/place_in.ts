/** Places in texts that agents paste. No DOM, no state. */

const NUMBER = '(-?\\d{1,3}(?:\\.\\d+)?)'
/** The most exact first: a pin of Google Maps, its view, OpenStreetMap, a pair of numbers. */
const PATTERNS = [
  new RegExp(`!3d${NUMBER}!4d${NUMBER}`),
  new RegExp(`@${NUMBER},${NUMBER}`),
  new RegExp(`[?&](?:q|query|ll)=${NUMBER}(?:,|%2C)\\s*${NUMBER}`, 'i'),
  new RegExp(`mlat=${NUMBER}&(?:amp;)?mlon=${NUMBER}`),
  new RegExp(`#map=\\d+/${NUMBER}/${NUMBER}`),
  new RegExp(`^${NUMBER}(?:[,;] ?| )${NUMBER}$`),
]

export function placeIn(text: string): { latitude: number; longitude: number } | undefined {
  for (const pattern of PATTERNS) {
    const found = pattern.exec(text.trim())
    if (!found) continue
    const [latitude, longitude] = [Number(found[1]), Number(found[2])]
    if (Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180) return { latitude, longitude }
  }
  return undefined
}
