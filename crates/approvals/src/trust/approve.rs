//! Approves what was shown, and undoes that.

use mooring_base::clock::now_us;
use mooring_base::server_id::ServerId;
use mooring_policy::definition::saved_hash;
use mooring_policy::{PinApproval, PinKind};
use mooring_store::PinRow;

use super::{Trust, lock};
use crate::error::TrustError;

/// The state of an item before it was approved.
#[derive(Debug)]
pub(super) struct KnownBefore {
    hash: String,
    form: String,
    approved_at_us: Option<i64>,
}

/// How many approvals can be undone.
const MAX_UNDOABLE: usize = 4_096;

impl Trust {
    /// Approves items as they were shown, all or none. Returns whether the server's own definition is one of
    /// them.
    pub async fn approve(&self, server: ServerId, approvals: &[PinApproval]) -> Result<bool, TrustError> {
        let _turn = self.change_lock.lock().await;
        self.read_pins(server).await?;
        let now = now_us();
        let (mut rows, mut before) =
            (Vec::with_capacity(approvals.len()), Vec::with_capacity(approvals.len()));
        for approval in approvals {
            // Only items that this process sees can be approved. The server's own definition only exists in
            // the table.
            if approval.kind != PinKind::Server && !self.is_seen_here(server, approval) {
                return Err(TrustError::Changed { what: approval.name.clone() });
            }
            let row = self.pins.get(server.0, approval.kind.as_str(), &approval.name).await?;
            let row = row.filter(|row| row.hash == approval.hash);
            let row = row.ok_or_else(|| TrustError::Changed { what: approval.name.clone() })?;
            let known = KnownBefore {
                hash: row.known_hash.clone(),
                form: row.known_form.clone(),
                approved_at_us: row.approved_at_us,
            };
            before.push(((server, approval.kind, approval.name.clone()), known));
            rows.push(PinRow {
                known_hash: row.hash.clone(),
                known_form: row.form.clone(),
                approved_at_us: Some(now),
                ..row
            });
        }
        // The approved definition replaces the one that the person saved before.
        let saved = rows.iter().find(|row| row.kind == PinKind::Server.as_str());
        let saved = saved.and_then(|row| saved_hash(&row.form));
        // The approval is on the disk before it applies.
        self.pins.save(server.0, &rows, saved.as_deref(), true).await?;
        for row in &rows {
            self.remember_pin(server, row);
        }
        {
            let mut undoable = lock(&self.before_approval);
            if undoable.len() + before.len() > MAX_UNDOABLE {
                undoable.clear();
            }
            undoable.extend(before);
        }
        self.notify_change(server);
        Ok(approvals.iter().any(|approval| approval.kind == PinKind::Server))
    }

    /// Undoes approvals that were made in this process. The earlier approvals apply again, and everything
    /// else that the server offers now is blocked. Does not apply to the server's own definition, because the
    /// server may be running already. Fails if none of these approvals is in force.
    pub async fn withdraw(&self, server: ServerId, approvals: &[PinApproval]) -> Result<(), TrustError> {
        let _turn = self.change_lock.lock().await;
        self.read_pins(server).await?;
        let mut rows = Vec::with_capacity(approvals.len());
        for approval in approvals.iter().filter(|approval| approval.kind != PinKind::Server) {
            let row = self.pins.get(server.0, approval.kind.as_str(), &approval.name).await?;
            let Some(row) = row.filter(|row| row.known_hash == approval.hash) else { continue };
            let key = (server, approval.kind, approval.name.clone());
            let Some(before) = lock(&self.before_approval).remove(&key) else { continue };
            rows.push(PinRow {
                known_hash: before.hash,
                known_form: before.form,
                approved_at_us: before.approved_at_us,
                ..row
            });
        }
        if rows.is_empty() {
            let what = approvals.iter().map(|approval| approval.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(TrustError::Changed { what });
        }
        self.pins.save(server.0, &rows, None, true).await?;
        for row in &rows {
            self.remember_pin(server, row);
        }
        self.notify_change(server);
        Ok(())
    }

    /// Whether this process sees an item exactly as it was shown.
    fn is_seen_here(&self, server: ServerId, approval: &PinApproval) -> bool {
        let marks = self.known_pins();
        let mark = marks.get(&server).and_then(|marks| marks.get(&approval.kind)?.get(&approval.name));
        mark.is_none_or(|mark| mark.gone || mark.hash == approval.hash)
    }
}
