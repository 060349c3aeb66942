//! Profiles: named sets of servers, tools and folders. A profile only takes away from what the person approved and
//! allowed. Without one, apps see everything that they may see.
//!
//! [`Profiles`] has the saved profiles and the one in use. [`InForce`] is what decides about lists and calls.

mod in_force;
mod profile;
mod profiles;
mod transfer;

pub use in_force::{InForce, Narrowing};
pub use profile::{HiddenItem, NewProfile, Profile, ProfileError, ProfileServer, find_by_name, name_key};
pub use profiles::{OnProfilesChange, ProfileLease, Profiles, ProfilesChange};
pub use transfer::{FileItem, FileServer, ProfileFile, path_from_text, path_to_text};
