/** The chat's icons, drawn as strokes on a field of 24 by 24. */

const PATHS = {
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M12 19V5M6 11l6-6 6 6',
  react: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M8.5 14.5a4.5 4.5 0 0 0 7 0M9 9.5h.01M15 9.5h.01',
  sound: 'M4 9.5v5h3.5L12 19V5L7.5 9.5zM15.5 9a4.5 4.5 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  muted: 'M4 9.5v5h3.5L12 19V5L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20a7.5 7.5 0 0 1 15 0',
  waiting: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M12 8v4l2.5 2',
  sent: 'M5 12.5l4.5 4.5L19 7',
  read: 'M2 12.5L6.5 17 15 7.5M10 15.5l1.5 1.5L21 7',
  failed: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7.5v5M12 16.5h.01',
  document: 'M7 3h7l4 4v14H7zM14 3v4h4M10 12h5M10 16h5',
  attach: 'M20 11.5l-8 8a5 5 0 0 1-7-7l8.5-8.5a3.4 3.4 0 0 1 4.8 4.8L10 17a1.7 1.7 0 0 1-2.4-2.4L15 7.2',
}

type IconName = keyof typeof PATHS

/** An icon without a name of its own: the button or the text beside it has one. */
export function icon(name: IconName) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  svg.classList.add('icon')
  const path = document.createElementNS(svg.namespaceURI, 'path')
  path.setAttribute('d', PATHS[name])
  svg.append(path)
  return svg as SVGElement
}
