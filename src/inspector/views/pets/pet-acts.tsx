import { AddPet } from './add-pet.tsx'
import { Reset } from './reset.tsx'
import { Seed } from './seed.tsx'
import { Snapshots } from './snapshots.tsx'

/** Actions on the pets: add, seed, snapshots, reset, export. */
export const PetActs = () => (
  <aside aria-label="Change the pets">
    <AddPet />
    <Seed />
    <Snapshots />
    <Reset />
  </aside>
)
