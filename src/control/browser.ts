import { fieldValue, type Reply, type Request } from '../world/traffic/message.ts'

const ROOT = /^(?:https?:\/\/[^/?#]*)?\/?(?:\?.*)?$/

/** Leads a browser that opens the sandbox's address to the inspector; every other client gets undefined. */
export function browserReply({ method, target, headers }: Request): Reply | undefined {
  if (!/^(GET|HEAD)$/.test(method) || !ROOT.test(target) || !prefersHtml(fieldValue(headers, 'accept') ?? ''))
    return undefined
  return {
    status: 302,
    headers: ['Location', '/_sandbox/', 'Content-Length', '0', 'Cache-Control', 'no-store', 'Vary', 'Accept'],
    body: undefined,
  }
}

/** Whether HTML is named and nothing that the API answers with is wanted as much. */
function prefersHtml(accept: string): boolean {
  const ranges = accept.split(',', 50).map((range) => {
    const [type = '', ...parameters] = range.split(';')
    const weight = parameters.map((each) => /^\s*q=([\d.]+)\s*$/i.exec(each)?.[1]).find(Boolean)
    return { type: type.trim().toLowerCase(), weight: weight === undefined ? 1 : Number(weight) }
  })
  const weightOf = (type: string): number | undefined => ranges.find((range) => range.type === type)?.weight
  const html = weightOf('text/html')
  return html !== undefined && html > (weightOf('application/json') ?? 0)
}
