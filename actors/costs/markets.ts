/**
 * The markets of WhatsApp's rate cards: countries by their calling codes, and the regions in which the cards sum up
 * countries without a row of their own. A country without a region belongs to `Other`.
 */

/** The row of a rate card for every number that no other row is for. */
export const OTHER = 'Other'

/** The warning about a rate card without such a row. */
export const withoutOther = {
  code: 'MARKET_OTHER_MISSING',
  message: 'There is no row for the market Other, so messages to countries without a row have no price.',
}

/** A country and its calling codes, such as `DO 1809 1829 1849`. */
const REGIONS: Readonly<Record<string, string>> = {
  'North America':
    'US 1, CA 1204 1226 1236 1249 1250 1257 1263 1289 1306 1343 1354 1365 1367 1368 1382 1387 1403 1416 1418 1428 1431 1437 1438 1450 1468 1474 1506 1514 1519 1548 1579 1581 1584 1587 1604 1613 1639 1647 1672 1683 1705 1709 1742 1753 1778 1780 1782 1807 1819 1825 1867 1873 1879 1902 1905 1942',
  'Rest of Africa':
    'DZ 213, AO 244, BJ 229, BW 267, BF 226, BI 257, CM 237, TD 235, CG 242, ER 291, ET 251, GA 241, GM 220, GH 233, GW 245, CI 225, KE 254, LS 266, LR 231, LY 218, MG 261, MW 265, ML 223, MR 222, MA 212, MZ 258, NA 264, NE 227, RW 250, SN 221, SL 232, SO 252, SS 211, SD 249, SZ 268, TZ 255, TG 228, TN 216, UG 256, ZM 260',
  'Rest of Asia Pacific':
    'AF 93, AU 61, BD 880, KH 855, CN 86, HK 852, JP 81, LA 856, MN 976, NP 977, NZ 64, PG 675, PH 63, SG 65, LK 94, TW 886, TJ 992, TH 66, TM 993, UZ 998, VN 84',
  'Rest of Central & Eastern Europe':
    'AL 355, AM 374, AZ 994, BY 375, BG 359, HR 385, CZ 420, GE 995, GR 30, HU 36, LV 371, LT 370, MD 373, MK 389, PL 48, RO 40, RS 381, SK 421, SI 386, UA 380',
  'Rest of Latin America':
    'BO 591, CR 506, DO 1809 1829 1849, EC 593, SV 503, GT 502, HT 509, HN 504, JM 1876 1658, NI 505, PA 507, PY 595, PR 1787 1939, UY 598, VE 58',
  'Rest of Middle East': 'BH 973, IQ 964, JO 962, KW 965, LB 961, OM 968, QA 974, YE 967',
  'Rest of Western Europe': 'AT 43, BE 32, DK 45, FI 358, IE 353, NO 47, PT 351, SE 46, CH 41',
  [OTHER]:
    'AR 54, BR 55, CL 56, CO 57, EG 20, FR 33, DE 49, IN 91, ID 62, IL 972, IT 39, MY 60, MX 52, NL 31, NG 234, PK 92, PE 51, RU 7, SA 966, ZA 27, ES 34, TR 90, AE 971, GB 44, ' +
    'AD 376, AG 1268, AI 1264, AS 1684, AW 297, BA 387, BB 1246, BM 1441, BN 673, BS 1242, BT 975, BZ 501, CD 243, CF 236, CK 682, CU 53, CV 238, CY 357, DJ 253, DM 1767, EE 372, FJ 679, FM 691, FO 298, GD 1473, GF 594, GI 350, GL 299, GN 224, GP 590, GQ 240, GU 1671, GY 592, IR 98, IS 354, KG 996, KI 686, KM 269, KN 1869, KP 850, KR 82, KY 1345, KZ 76 77, LC 1758, LI 423, LU 352, MC 377, ME 382, MH 692, MM 95, MO 853, MP 1670, MQ 596, MS 1664, MT 356, MU 230, MV 960, NC 687, NR 674, NU 683, PF 689, PM 508, PS 970, PW 680, RE 262, SB 677, SC 248, SM 378, SR 597, ST 239, SX 1721, SY 963, TC 1649, TL 670, TO 676, TT 1868, TV 688, VC 1784, VG 1284, VI 1340, VU 678, WF 681, WS 685, XK 383, ZW 263',
}

type Country = { code: string; region: string }

/** Countries by calling code, and by their own code (ISO 3166). */
const byCallingCode = new Map<string, Country>()
const byCode = new Map<string, Country>()
for (const [region, countries] of Object.entries(REGIONS)) {
  for (const one of countries.split(', ')) {
    const [code, ...calling_codes] = one.split(' ')
    const country = { code: code!, region }
    byCode.set(country.code, country)
    for (const calling_code of calling_codes) byCallingCode.set(calling_code, country)
  }
}

/** Names of markets as people and rate cards write them, without case and signs. */
const names = new Map<string, string>()
const english = new Intl.DisplayNames('en', { type: 'region' })
for (const code of byCode.keys()) names.set(plain(english.of(code)!), code)
for (const region of Object.keys(REGIONS)) names.set(plain(region), region)
const FURTHER = {
  Turkey: 'TR',
  Turkiye: 'TR',
  "Cote d'Ivoire": 'CI',
  Reunion: 'RE',
  'Ivory Coast': 'CI',
  UAE: 'AE',
  UK: 'GB',
  USA: 'US',
  Korea: 'KR',
  'Hong Kong': 'HK',
  Macedonia: 'MK',
}
for (const [name, code] of Object.entries(FURTHER)) names.set(plain(name), code)

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/\band\b/g, '')
    .replace(/[^a-z]/g, '')
}

const MAX_CALLING_CODE = 7

/**
 * The market that a row of a rate card is for: a country (`MX`), a region (`Rest of Africa`), `Other`, or the beginning of
 * numbers (`+5255`). Undefined for a market that Parley does not know.
 */
export function marketNamed(text: string): string | undefined {
  const name = text.trim()
  if (/^\+[1-9]\d{0,6}$/.test(name)) return name
  if (/^[A-Z]{2}$/.test(name) && byCode.has(name)) return name
  return names.get(plain(name))
}

/**
 * The markets that a recipient belongs to, the most exact one first. `recipient`: a phone number with or without its plus
 * sign, or a business-scoped user id, which begins with the code of the country.
 */
export function marketsOf(recipient: string): string[] {
  const [, user_country] = /^([A-Z]{2})\./.exec(recipient) ?? []
  if (user_country !== undefined) return ofCountry(byCode.get(user_country))
  const digits = recipient.replace(/\D/g, '').slice(0, MAX_CALLING_CODE)
  const beginnings = Array.from(digits, (_, at) => digits.slice(0, digits.length - at))
  const country = beginnings.map((beginning) => byCallingCode.get(beginning)).find(Boolean)
  return [...beginnings.map((beginning) => `+${beginning}`), ...ofCountry(country)]
}

function ofCountry(country: Country | undefined): string[] {
  if (!country) return [OTHER]
  return country.region === OTHER ? [country.code, OTHER] : [country.code, country.region, OTHER]
}
