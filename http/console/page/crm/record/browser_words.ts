/** The browser of a visitor, in words. No DOM. */

/** The first that matches counts: browsers name those whose pages they can show, too. */
const BROWSERS = [
  { name: 'Edge', mark: /\bEdg(?:A|iOS)?\/(\d+)/ },
  { name: 'Opera', mark: /\bOPR\/(\d+)/ },
  { name: 'Samsung Internet', mark: /\bSamsungBrowser\/(\d+)/ },
  { name: 'Firefox', mark: /\b(?:Firefox|FxiOS)\/(\d+)/ },
  { name: 'Chrome', mark: /\b(?:Headless)?(?:Chrome|CriOS)\/(\d+)/ },
  { name: 'Safari', mark: /\bVersion\/(\d+)\.[\d.]* (?:Mobile\/\w+ )?Safari\// },
]
const SYSTEMS = [
  { name: 'iPhone', mark: /\biPhone\b/ },
  { name: 'iPad', mark: /\biPad\b/ },
  { name: 'Android', mark: /\bAndroid\b/ },
  { name: 'Windows', mark: /\bWindows\b/ },
  { name: 'macOS', mark: /\bMacintosh\b/ },
  { name: 'ChromeOS', mark: /\bCrOS\b/ },
  { name: 'Linux', mark: /\bLinux\b/ },
]

/** Such as `Chrome 131 on Windows`; the whole header of browsers that are not known. */
export function browserText(user_agent: string) {
  for (const { name, mark } of BROWSERS) {
    const version = mark.exec(user_agent)?.[1]
    if (version === undefined) continue
    const system = SYSTEMS.find((one) => one.mark.test(user_agent))
    return `${name} ${version}${system ? ` on ${system.name}` : ''}`
  }
  return user_agent
}

let names: Intl.DisplayNames | undefined

/**
 * Such as `Mexican Spanish`; the code itself when it names no language.
 *
 * @param code BCP 47, by the account of a stranger.
 */
export function languageText(code: string) {
  try {
    names ??= new Intl.DisplayNames(['en'], { type: 'language' })
    return names.of(code) ?? code
  } catch {
    return code
  }
}

/** An address without its scheme. */
export function addressText(url: string) {
  return url.replace(/^https?:\/\//i, '').replace(/\/$/, '')
}
