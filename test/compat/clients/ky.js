import ky from 'ky'
import { expectPets, headers, url, useUpLimit } from './store.js'

await useUpLimit()
expectPets(await ky(url, { headers }).json())
