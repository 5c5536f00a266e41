import { readFile } from 'node:fs/promises'
import { OverlayError } from '../../contract/openapi/document.ts'
import type { Overlay } from '../../contract/openapi/overlay.ts'
import { fileReason } from '../../text/file-reason.ts'

/** Reads an overlay; rejects with an OverlayError. */
export async function readOverlay(name: string): Promise<Overlay> {
  try {
    return { name, text: await readFile(name, 'utf8') }
  } catch (error) {
    throw new OverlayError(`The overlay ${name} cannot be used: ${fileReason(error)}`)
  }
}
