/**
 * Words with which people stop marketing messages, in the languages of the largest markets. A word counts when it is the
 * whole message: "stop" in a sentence is no wish. Words that are ordinary answers ("cancel", "end", "alto", "dur") are left out.
 */
import type { InboundMessage } from '../../providers/mod.ts'

const STOP = [
  ...['stop', 'stop all', 'stopall', 'unsubscribe', 'opt out', 'optout', 'stop promotions', 'no more messages'],
  ...['baja', 'darme de baja', 'dar de baja', 'cancelar suscripción', 'desuscribirme', 'detener promociones'],
  ...['descadastrar', 'me descadastrar', 'cancelar inscrição', 'parar promoções', 'sair da lista'],
  ...['désabonner', 'me désabonner', 'se désabonner', 'désinscription', 'me désinscrire', 'arrêter les promotions'],
  ...['stopp', 'abmelden', 'abbestellen', 'austragen', 'werbung stoppen', 'keine werbung'],
  ...['disiscrivimi', 'disiscrizione', 'cancella iscrizione', 'annulla iscrizione'],
  ...['afmelden', 'uitschrijven'],
  ...['wypisz', 'wypisz mnie', 'anuluj subskrypcję'],
  ...['abonelikten çık', 'aboneliği iptal et', 'üyelikten çık'],
  ...['стоп', 'отписаться', 'отпишите меня'],
  ...['إلغاء الاشتراك', 'إيقاف الرسائل', 'الغاء الاشتراك'],
  ...['सदस्यता समाप्त करें', 'संदेश बंद करें'],
  ...['berhenti', 'berhenti berlangganan', 'berhenti langganan'],
  ...['退订', '取消订阅', '退訂', '取消訂閱', '配信停止', '登録解除', '수신거부'],
]

/** Words with which somebody who stopped wants them again. From others they say nothing about marketing. */
const RESUME = ['start', 'unstop', 'resume', 'subscribe', 'alta', 'darme de alta', 'anmelden', 'iscrivimi', 'старт']

/** Longer messages are no word. */
const MAX_LENGTH = 64

const stop = new Set(STOP.map(folded))
const resume = new Set(RESUME.map(folded))

/** The wish of a message that consists of such a word; undefined for all others. */
export function wishIn({ type, message }: Pick<InboundMessage, 'type' | 'message'>): 'stop' | 'resume' | undefined {
  const text = type === 'text' ? message.body : type === 'button' ? message.text : undefined
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return undefined
  const word = folded(text)
  return stop.has(word) ? 'stop' : resume.has(word) ? 'resume' : undefined
}

/** Without case, accents, dots of the letter i, punctuation and repeated spaces. */
function folded(text: string): string {
  const letters = text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ı', 'i')
  return letters
    .replace(/[^\p{L}\p{N}]/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
}
