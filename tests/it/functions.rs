//! The Function library `functions/egg.lua` passes the module's own tests, on servers without the module.

/// Tests of the module that hold for the library: `file::{test, ...}`. The others are about what it does not have
/// (configuration, INFO, other commands), or about the order of ids in what is propagated.
macro_rules! hold_for_the_library {
    ($($file:ident::{$($name:ident),* $(,)?})*) => {$(
        mod $file {$(
            mod $name {
                use egg_testkit::harness::{Kind, without_module};

                #[test]
                fn redis_7_4() {
                    without_module(|| $crate::$file::$name::run(Kind::Redis74));
                }

                #[test]
                fn redis_8_2() {
                    without_module(|| $crate::$file::$name::run(Kind::Redis82));
                }

                #[test]
                fn valkey_9_1() {
                    without_module(|| $crate::$file::$name::run(Kind::Valkey91));
                }
            }
        )*}
    )*};
}

hold_for_the_library! {
    ackdel::{
        acknowledges_and_deletes_whatever_the_policy_if_the_group_is_alone,
        refuses_as_a_whole_while_another_group_exists,
        ackonly_acknowledges_and_keeps_while_another_group_exists,
        acked_deletes_when_the_last_group_is_done,
        acked_keeps_what_another_group_has_yet_to_read_or_to_acknowledge,
        keepref_and_delref_delete_what_another_group_needs,
        a_group_set_back_keeps_what_it_will_read_again,
        entries_that_are_gone_already_are_acknowledged,
        the_reply_is_one_integer_per_id_in_the_order_given,
        options_come_in_any_order_and_case,
        several_id_blocks_are_an_error,
        consumers_and_counters_are_left_as_xack_and_xdel_leave_them,
    }
    ackdel_errors::{
        every_error_has_its_exact_text,
        what_is_no_id_is_refused_and_what_the_core_takes_is_taken,
        numids_is_read_as_the_core_reads_numbers,
        errors_are_looked_for_in_a_fixed_order,
        the_refusal_names_the_other_groups_and_the_way_out,
        one_bad_id_among_thousands_refuses_them_all,
    }
    ackmove::{
        an_entry_goes_to_the_destination_and_leaves_the_source,
        what_may_not_be_moved_is_nil_and_stays,
        a_poison_message_goes_to_the_dead_letters_with_its_history,
        set_replaces_every_occurrence_and_appends_what_is_new,
        an_entry_that_is_gone_is_acknowledged_and_not_moved,
        an_entry_can_be_put_back_at_the_tail_of_its_own_stream,
        an_entry_put_back_a_hundred_times_does_not_grow,
        every_byte_of_a_large_payload_arrives,
        a_thousand_entries_go_in_one_call,
        the_copies_come_in_the_order_of_the_call,
    }
    ackmove_effects::{
        what_moves_nothing_is_not_propagated,
        moves_join_the_transaction_of_the_client,
        a_replica_without_the_module_follows,
        a_server_without_the_module_replays_the_append_only_file,
        each_move_is_one_xadd_event_and_the_call_one_xdel_event,
        a_move_aborts_watches_on_both_streams,
        resp2_and_resp3_differ_in_nil_alone,
    }
    ackmove_errors::{
        errors_come_in_order_and_change_nothing,
        a_destination_without_ids_left_refuses_as_a_whole,
        nothing_is_reported_to_others_of_a_call_that_moves_nothing,
    }
    ackmove_trim::{
        a_destination_without_groups_is_trimmed_as_asked,
        what_a_group_of_the_destination_needs_is_never_trimmed,
        the_source_is_not_trimmed,
        no_node_of_the_destination_is_left_behind_empty,
    }
    batches::{
        many_ids_that_are_not_pending_are_each_answered,
        duplicates_are_deleted_once,
    }
    clients_and_scripts::{
        databases_are_separate,
        an_expired_key_is_missing,
        a_thousand_calls_in_a_pipeline_get_a_thousand_replies,
    }
    dangling::{
        delref_takes_the_entry_from_a_group_that_holds_it,
        keepref_leaves_the_other_groups_reference,
        deleted_before_it_was_acknowledged,
        trimmed_while_it_was_pending,
        ghosts_in_xclaim_and_xautoclaim,
        lag_turns_null_when_entries_are_finished_out_of_order,
        lag_of_the_other_group_stays_a_number_under_the_safe_policies,
        lag_of_an_unread_hole_is_left_to_the_core,
        lag_is_right_for_groups_created_moved_or_destroyed_on_the_way,
    }
    delex::{
        acked_deletes_what_no_group_needs,
        keepref_leaves_references_and_delref_takes_them,
        ids_that_never_existed,
        without_groups_everything_goes,
        errors_have_the_texts_of_8_2_and_change_nothing,
        a_missing_key_answers_for_each_id,
        events_and_watch_follow_deletions,
        a_replica_without_the_module_agrees,
        many_ids,
    }
    events::{
        a_call_that_deletes_is_one_xdel_event,
        a_call_that_deletes_nothing_is_no_event,
        a_watch_is_aborted_by_deletions_alone,
    }
    groupguard::{
        is_ok_for_a_group_that_is_alone,
        refuses_while_other_groups_exist_and_names_them,
        refuses_a_missing_group_and_a_missing_key,
        refuses_what_is_no_stream,
        takes_group_names_of_any_bytes,
        changes_nothing,
        runs_on_a_replica,
    }
    hostile::{
        hostile_names_work_as_names,
        hostile_names_of_other_groups_cannot_forge_a_reply,
    }
    lag::{
        lag_survives_the_deletion_of_the_entry_read_last,
        lag_is_not_made_up_for_a_group_moved_back_below_a_deleted_entry,
    }
    owner::{
        a_slow_worker_cannot_finish_what_another_took_over,
        an_owner_that_does_not_exist_owns_nothing_and_is_not_made,
        the_policy_holds_for_what_is_owned,
        an_owner_with_much_more_pending_than_was_asked_for,
        an_id_named_twice_is_answered_twice,
        names_of_owners_are_bytes,
    }
    propagation::{
        effects_join_the_transaction_of_the_client,
        a_mended_lag_is_propagated,
    }
    public_cases::{
        acked_entries_never_leave,
        a_backlog_acked_long_ago_is_not_cleaned_by_ackdel,
        entries_read_with_noack_are_not_pending,
        an_entry_must_wait_for_all_groups,
        the_first_group_starves_the_second,
        a_leftover_group_blocks_everything,
        a_plain_reader_is_not_seen,
        a_group_made_after_the_entry,
        an_ack_to_the_wrong_group_is_silent,
        two_workers_finish_the_same_entry,
        a_worker_that_lost_the_entry_acks_late,
        minus_one_means_several_things,
        an_unread_entry_is_deleted,
        a_batch_of_everything,
        a_short_id_is_not_recognised,
    }
}
